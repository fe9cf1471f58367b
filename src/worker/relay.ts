import { Type } from 'typebox';
import { reply } from '../kernel/catalogue/answer.ts';
import { json } from '../kernel/catalogue/declarations.ts';
import type { Endpoint } from '../kernel/catalogue/endpoint.ts';
import { type Fault, fault } from '../kernel/faults.ts';
import type { HttpCaller } from '../kernel/outbound/http-caller.ts';
import { INTERNAL_PATH } from '../platform/channel/internal-endpoint.ts';
import type { PodProcess } from '../platform/pod-processes.ts';
import { MOST_INTERNAL_BYTES } from './internal.endpoints.ts';

export interface RelayOptions {
  readonly caller: Pick<HttpCaller, 'call'>;
  readonly processes: () => Promise<readonly PodProcess[]>;
}

/** Longer than any of the internal calls may take. */
const DEADLINE_MS = 120_000;
/** What belongs to one connection alone, or is written anew for the next. */
const OWN_FIELDS = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'expect']);

/**
 * Of a pod of several processes only the first has deployments and delivery. Another one that an internal call reaches
 * passes it on as it is: the call is signed, and the first process checks that.
 */
export function relayToFirst({ caller, processes }: RelayOptions): Endpoint<unknown, unknown> {
  return {
    id: 'internal-relay',
    group: 'Internal',
    methods: ['ANY'],
    path: `${INTERNAL_PATH}{call**}`,
    summary: 'Passes internal calls on to the first process of the pod.',
    params: Type.Object({ call: Type.String() }),
    responses: { 200: json('What the first process answered.') },
    examples: [],
    handle: async ({ request: { method, target, headers }, exchange: { body, signal } }) => {
      const first = (await processes()).find(({ index }) => index === 0);
      if (!first) throw away();
      const call = caller.call({
        url: `http://127.0.0.1:${first.port}${target}`,
        method,
        headers: [...headers.pairs()].filter(([name]) => !OWN_FIELDS.has(name.toLowerCase())).flat(),
        ...(body.isPresent && { body: await body.bytes(MOST_INTERNAL_BYTES) }),
        deadlineMs: DEADLINE_MS,
        maxBodyBytes: MOST_INTERNAL_BYTES,
        signal,
      });
      const answer = await call.catch((cause: unknown) => {
        throw away(cause);
      });
      return reply.bytes(answer.body, answer.headers.first('content-type'), {
        status: answer.status,
        headers: ['Cache-Control', 'no-store'],
      });
    },
  };
}

function away(cause?: unknown): Fault {
  return fault('process.away', {}, ['Retry-After', '1'], { cause });
}
