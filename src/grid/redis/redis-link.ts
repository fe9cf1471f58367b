import {
  createClient,
  createCluster,
  RESP_TYPES,
  type RedisArgument,
  type RedisClientOptions,
  type RedisClientType,
} from '@redis/client';
import type { RedisAddress } from './redis-address.ts';

/** An open way to the server or servers. */
export interface RedisLink {
  /** Sends a command to whoever holds the key. Commands of one turn of the event loop leave together. */
  send(key: string, isReadOnly: boolean, args: RedisArgument[], answersBytes: boolean): Promise<unknown>;
  /** Every primary, for what must be asked of all. */
  primaries(): Promise<RedisNode[]>;
  destroy(): void;
}

export interface RedisNode {
  readonly address: string;
  send(args: RedisArgument[]): Promise<unknown>;
}

export interface RedisLinkEvents {
  readonly onError: (error: unknown) => void;
  readonly onReady: () => void;
}

/** Calls have their deadline already; the client's own would cost a timer and an abort signal for each of them. */
const AS_TEXT = { timeout: 0 };
const AS_BYTES = { timeout: 0, typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } };
/** Commands that wait for an answer; beyond it the server is not keeping up. */
const MOST_WAITING = 100_000;
const LONGEST_PAUSE_MS = 2000;

/** Resolves when the server answers, rejects when none does. */
export async function openRedisLink(
  address: RedisAddress,
  connectTimeoutMs: number,
  events: RedisLinkEvents,
): Promise<RedisLink> {
  return address.isCluster
    ? openCluster(address, connectTimeoutMs, events)
    : openSingle(address, connectTimeoutMs, events);
}

async function openSingle(
  address: RedisAddress,
  connectTimeoutMs: number,
  { onError, onReady }: RedisLinkEvents,
): Promise<RedisLink> {
  const { host, port } = address.nodes[0]!;
  const options = clientOptions(address, connectTimeoutMs);
  const client = createClient({
    ...options,
    database: address.database,
    socket: { ...options.socket, host, port } as typeof options.socket,
  });
  let wasReady = false;
  client.on('error', (error) => {
    onError(error);
    // Until it answered once, whoever asked for the link decides whether to try again.
    if (!wasReady) client.destroy();
  });
  client.on('ready', () => {
    wasReady = true;
    onReady();
  });
  await connectWithin(connectTimeoutMs, client);
  const node = {
    address: `${host}:${port}`,
    send: (args: RedisArgument[]) => client.sendCommand(args, AS_TEXT),
  };
  return {
    send: (_key, _isReadOnly, args, answersBytes) =>
      client.sendCommand(args, answersBytes ? AS_BYTES : AS_TEXT),
    primaries: async () => [node],
    destroy: () => client.destroy(),
  };
}

async function openCluster(
  address: RedisAddress,
  connectTimeoutMs: number,
  { onError, onReady }: RedisLinkEvents,
): Promise<RedisLink> {
  const defaults = clientOptions(address, connectTimeoutMs);
  const cluster = createCluster({
    rootNodes: address.nodes.map((node) => ({ socket: { ...node } })),
    defaults,
    maxCommandRedirections: 5,
    topologyRefreshOnReconnectionAttemptStrategy: 1000,
  });
  for (const event of ['error', 'node-error']) cluster.on(event, onError);
  cluster.on('node-ready', onReady);
  await connectWithin(connectTimeoutMs, cluster);
  return {
    send: (key, isReadOnly, args, answersBytes) =>
      cluster.sendCommand(key, isReadOnly, args, answersBytes ? AS_BYTES : AS_TEXT),
    primaries: async () => {
      const nodes = cluster.masters;
      const clients = await Promise.all(nodes.map((node) => cluster.nodeClient(node)));
      return nodes.map((node, index) => ({
        address: node.address,
        send: (args: RedisArgument[]) => (clients[index] as RedisClientType).sendCommand(args, AS_TEXT),
      }));
    },
    destroy: () => cluster.destroy(),
  };
}

/** The client bounds the connection itself; this bounds the greeting too, which a server may never answer. */
async function connectWithin(
  timeoutMs: number,
  client: { connect(): Promise<unknown>; destroy(): void },
): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`not greeted within ${timeoutMs} ms`)), timeoutMs);
  try {
    await Promise.race([client.connect(), late]);
  } catch (error) {
    client.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function clientOptions({ username, password, isTls }: RedisAddress, connectTimeoutMs: number) {
  return {
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    socket: {
      ...(isTls && { tls: true }),
      connectTimeout: connectTimeoutMs,
      reconnectStrategy: (retries: number) => Math.min(50 * 2 ** Math.min(retries, 10), LONGEST_PAUSE_MS),
    } as RedisClientOptions['socket'],
    name: 'gatehouse',
    // A caller waits for an answer, never for a server that is away.
    disableOfflineQueue: true,
    commandsQueueMaxLength: MOST_WAITING,
    disableClientInfo: true,
    maintNotifications: 'disabled',
  } satisfies RedisClientOptions;
}
