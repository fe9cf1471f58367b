import type { ClientAnswer } from '../../http1/client/client-answer.ts';
import { ClientFailure, type ClientFailureReason } from '../../http1/client/client-failure.ts';
import type { PoolUsage, SendOptions } from '../../http1/client/client-options.ts';
import type { ClientRequest } from '../../http1/client/client-request.ts';
import { HeaderList } from '../../http1/header-list.ts';
import type { EnginePool } from '../delivery-engine.ts';

/** How a call ends: with an answer, with a failure, or never of its own accord. */
export type Ending =
  | { readonly status: number; readonly headers?: readonly string[]; readonly body?: string }
  | { readonly failure: ClientFailureReason; readonly isRequestSent: boolean }
  | 'hangs';

/** A pool without sockets: calls end as the script says, at once. For rules; the wire has tests of its own. */
export class ScriptedPool implements EnginePool {
  readonly requests: ClientRequest[] = [];
  readonly options: (SendOptions | undefined)[] = [];
  readonly hanging = new Set<(ending: Exclude<Ending, 'hangs'>) => void>();
  isClosed = false;
  #script: (request: ClientRequest, index: number) => Ending;

  /** A list is played in order, and its last ending goes on for ever. */
  constructor(script: readonly Ending[] | ((request: ClientRequest, index: number) => Ending)) {
    this.#script =
      typeof script === 'function' ? script : (_, index) => script[Math.min(index, script.length - 1)]!;
  }

  set script(script: (request: ClientRequest, index: number) => Ending) {
    this.#script = script;
  }

  get bodies(): string[] {
    return this.requests.map(({ body }) => String(body));
  }

  send(request: ClientRequest, options?: SendOptions): Promise<ClientAnswer> {
    const index = this.requests.push(request) - 1;
    this.options.push(options);
    const ending = this.#script(request, index);
    return new Promise((resolve, reject) => {
      const end = (known: Exclude<Ending, 'hangs'>) => {
        this.hanging.delete(end);
        if ('status' in known) resolve(answerOf(known));
        else reject(failureOf(known.failure, known.isRequestSent));
      };
      if (options?.signal?.aborted) end({ failure: 'aborted', isRequestSent: false });
      else if (ending !== 'hangs') end(ending);
      else {
        this.hanging.add(end);
        options?.signal?.addEventListener('abort', () => end({ failure: 'aborted', isRequestSent: true }));
      }
    });
  }

  /** Ends what hangs, and gives back how many calls that were. */
  endHanging(ending: Exclude<Ending, 'hangs'>): number {
    const hanging = [...this.hanging];
    for (const end of hanging) end(ending);
    return hanging.length;
  }

  usage(): PoolUsage {
    const busy = this.hanging.size;
    return { total: busy, busy, idle: 0, connecting: 0, waiting: 0, maxPerHost: 24, maxTotal: 48 };
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }
}

export function answerOf({
  status,
  headers = [],
  body = '',
}: Extract<Ending, { status: number }>): ClientAnswer {
  return {
    status,
    reason: '',
    version: '1.1',
    headers: new HeaderList(headers),
    isReusedConnection: false,
    body: Buffer.from(body),
    isBodyCut: false,
    trailers: [],
    phases: {},
  };
}

export function failureOf(reason: ClientFailureReason, isRequestSent: boolean): ClientFailure {
  return new ClientFailure(reason, { phase: isRequestSent ? 'response' : 'connect', isRequestSent });
}
