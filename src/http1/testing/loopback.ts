import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type Http1Connection, type Http1Options, serveHttp1 } from '../connection.ts';
import type { ContentBudget } from '../content-budget.ts';
import type { Exchange } from '../exchange.ts';
import { defaultLimits, defaultTimeouts, type Http1Limits, type Http1Timeouts } from '../limits.ts';
import type { Refusal } from '../refusals.ts';

export interface EngineOverrides {
  readonly limits?: Partial<Http1Limits>;
  readonly timeouts?: Partial<Http1Timeouts>;
  readonly isLenient?: boolean;
  readonly contentBudget?: ContentBudget;
}

/** The engine on a loopback port with a handler of the test's own. */
export class TestEngine implements AsyncDisposable {
  readonly port: number;
  readonly connections: Http1Connection[] = [];
  readonly refusals: Refusal[] = [];
  readonly #server: ReturnType<typeof createServer>;
  readonly #clients: TestClient[] = [];

  private constructor(server: ReturnType<typeof createServer>) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
  }

  static async start(
    onExchange: (exchange: Exchange) => void | Promise<void>,
    overrides: EngineOverrides = {},
  ): Promise<TestEngine> {
    const server = createServer({ noDelay: true });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const engine = new TestEngine(server);
    const options: Http1Options = {
      limits: { ...defaultLimits, ...overrides.limits },
      timeouts: { ...defaultTimeouts, ...overrides.timeouts },
      isLenient: overrides.isLenient ?? false,
      ...(overrides.contentBudget && { contentBudget: overrides.contentBudget }),
      now: () => Date.UTC(2026, 3, 1),
      onExchange: (exchange) => void onExchange(exchange),
      renderRefusal: ({ key }) => ({ headers: ['Content-Type', 'text/plain'], body: key }),
      onRefused: (refusal) => engine.refusals.push(refusal),
    };
    server.on('connection', (socket) => {
      engine.connections.push(serveHttp1(socket, undefined, infoOf(socket), options));
    });
    return engine;
  }

  /** A client that has written the given bytes. */
  async client(bytes: string | Buffer = ''): Promise<TestClient> {
    const socket = connect({ port: this.port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    await once(socket, 'connect');
    const client = new TestClient(socket);
    this.#clients.push(client);
    if (bytes.length > 0) client.write(bytes);
    return client;
  }

  /** Sends the bytes, closes the sending half, and gives back everything that came until the close. */
  async exchangeBytes(bytes: string | Buffer): Promise<string> {
    const client = await this.client(bytes);
    client.socket.end();
    await client.ended;
    return client.received;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#clients) client.socket.destroy();
    for (const connection of this.connections) connection.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

function infoOf(socket: Socket) {
  return {
    id: 'test',
    openedAtMs: 0,
    remoteAddress: socket.remoteAddress ?? '',
    remotePort: socket.remotePort ?? 0,
    localAddress: socket.localAddress ?? '',
    localPort: socket.localPort ?? 0,
    proxyHeader: undefined,
    tls: undefined,
  };
}

/** A bare socket that remembers what came, one character per byte. */
export class TestClient {
  readonly socket: Socket;
  received = '';
  receivedBytes = 0;
  /** Tests of much data keep only the end of it. */
  maxKeptBytes = Number.POSITIVE_INFINITY;
  /** How the server ended the connection. */
  readonly ended: Promise<'fin' | 'reset'>;
  #onReceived: (() => void)[] = [];

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk) => {
      this.receivedBytes += chunk.length;
      this.received += chunk.toString('latin1');
      if (this.received.length > this.maxKeptBytes) this.received = this.received.slice(-this.maxKeptBytes);
      this.#look();
    });
    socket.once('close', () => this.#look());
    this.ended = new Promise((resolve) => {
      socket.once('end', () => resolve('fin'));
      socket.once('error', () => resolve('reset'));
    });
  }

  #look(): void {
    for (const look of this.#onReceived.splice(0)) look();
  }

  write(bytes: string | Buffer): void {
    if (typeof bytes === 'string') this.socket.write(bytes, 'latin1');
    else this.socket.write(bytes);
  }

  /** Waits until what came holds the text, at or behind `from`. */
  async until(text: string, from = 0): Promise<string> {
    while (!this.received.includes(text, from)) {
      if (this.socket.closed) throw new Error(`closed before ${JSON.stringify(text)} came`);
      await new Promise<void>((resolve) => this.#onReceived.push(resolve));
    }
    return this.received;
  }
}

export const GET = 'GET / HTTP/1.1\r\nHost: test\r\n\r\n';

export function get(target: string, ...fields: string[]): string {
  return request('GET', target, fields);
}

export function request(method: string, target: string, fields: string[] = [], body = ''): string {
  return [`${method} ${target} HTTP/1.1`, 'Host: test', ...fields, '', body].join('\r\n');
}

/** The heads and bodies of answers framed by Content-Length, in the order they came. */
export function answersIn(received: string): { head: string; body: string }[] {
  const answers: { head: string; body: string }[] = [];
  let rest = received;
  while (rest !== '') {
    const headEnd = rest.indexOf('\r\n\r\n') + 4;
    if (headEnd < 4) throw new Error(`no whole head in ${JSON.stringify(rest)}`);
    const head = rest.slice(0, headEnd);
    const length = Number(/^Content-Length: (\d+)\r$/m.exec(head)?.[1] ?? 0);
    answers.push({ head, body: rest.slice(headEnd, headEnd + length) });
    rest = rest.slice(headEnd + length);
  }
  return answers;
}
