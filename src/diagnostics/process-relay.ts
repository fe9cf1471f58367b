import { Type } from 'typebox';
import type { OpenAnswer } from '../http1/client/client-answer.ts';
import { ClientPool } from '../http1/client/client-pool.ts';
import { type Answer, reply } from '../kernel/catalogue/answer.ts';
import type { Call } from '../kernel/catalogue/endpoint.ts';
import { type Fault, fault } from '../kernel/faults.ts';
import type { ProcessPlace } from '../kernel/process-group.ts';
import type { PodProcess } from '../platform/pod-processes.ts';

export interface ProcessRelayOptions {
  readonly place: ProcessPlace;
  /** Those of this pod that serve, this one too. */
  readonly processes: () => Promise<readonly PodProcess[]>;
  /** Where only the other processes of this pod come in; only asked once the module runs. */
  readonly ownPort: () => number;
}

type RelayedCall = Pick<Call<unknown, unknown, unknown, unknown, unknown>, 'request' | 'exchange'>;

/** Entries about one process alone, whose answers are files: whichever process a request reaches, the chosen one answers. */
export interface ProcessRelay {
  /** The answer of another process as it comes; undefined where this one is chosen and answers itself. */
  passOn(index: number, call: RelayedCall): Promise<Answer | undefined>;
  /** Who asks, also where another process of this pod passed the question on. */
  clientOf(call: RelayedCall): string;
  /** Calls that run are broken off. */
  stop(): Promise<void>;
}

/** The declared parameter of entries about one process. */
export const oneProcess = Type.Integer({
  minimum: 0,
  maximum: 255,
  default: 0,
  description: 'Of a pod of several processes: which one, counted from 0.',
});

/** Files are taken one at a time; who asks for a second is told so by the chosen process. */
const MOST_CALLS = 16;
/** A profile takes a minute, and the snapshot of a heap of some gigabytes several, in which its process says nothing. */
const SILENCE_MS = 600_000;
const TIMEOUTS = { connectMs: 2000, responseMs: SILENCE_MS, idleMs: SILENCE_MS };
const PASSED_ON_FIELDS = ['content-disposition', 'cache-control', 'retry-after', 'gatehouse-notice'];
const CLIENT_FIELD = 'X-Forwarded-For';

export function createProcessRelay({ place, processes, ownPort }: ProcessRelayOptions): ProcessRelay {
  const pool = new ClientPool({
    maxPerHost: MOST_CALLS,
    maxTotal: MOST_CALLS * place.count,
    timeouts: TIMEOUTS,
  });
  /** The port is on loopback, and of a pod of one process it is the port of everybody. */
  const isFromSibling = ({ exchange }: RelayedCall) =>
    place.count > 1 && exchange.connection.localPort === ownPort();

  return {
    passOn: async (index, call) => {
      refuseBeyond(index, place);
      if (index === place.index) return undefined;
      // The one that asks was told of a process that has died meanwhile: passing on once more could go round in circles.
      if (isFromSibling(call)) throw away();
      const known = await processes().catch(() => []);
      const chosen = known.find((one) => one.index === index);
      if (!chosen) throw away();
      return streamed(await ask(chosen, call));
    },
    clientOf: (call) => {
      const { headers, peerAddress } = call.request;
      return (isFromSibling(call) && headers.first(CLIENT_FIELD.toLowerCase())) || peerAddress;
    },
    stop: () => pool.destroy(),
  };

  function ask({ port }: PodProcess, { request, exchange: { signal } }: RelayedCall): Promise<OpenAnswer> {
    const { method, rawPath, rawQuery, headers, peerAddress } = request;
    const asked = pool.open(
      {
        origin: { protocol: 'http:', host: '127.0.0.1', port },
        method,
        target: rawQuery === undefined ? rawPath : `${rawPath}?${rawQuery}`,
        headers: [
          ...['Authorization', headers.first('authorization') ?? ''],
          ...[CLIENT_FIELD, peerAddress, 'Connection', 'close'],
        ],
      },
      { signal },
    );
    return asked.catch((cause: unknown) => {
      throw away(cause);
    });
  }
}

export function refuseBeyond(index: number, { count }: ProcessPlace): void {
  if (index < count) return;
  throw fault('parameter.invalid', { in: 'query', name: 'process', rule: `must be less than ${count}` });
}

function streamed({ status, headers, body }: OpenAnswer): Answer {
  const fields = PASSED_ON_FIELDS.flatMap((name) => {
    const value = headers.first(name);
    return value === undefined ? [] : [name, value];
  });
  return reply.stream(
    headers.first('content-type'),
    async (out) => {
      for await (const chunk of body) await out.write(chunk);
    },
    { status, headers: fields },
  );
}

function away(cause?: unknown): Fault {
  return fault('process.away', {}, ['Retry-After', '1'], { cause });
}
