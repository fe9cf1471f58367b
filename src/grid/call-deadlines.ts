import { GridUnavailable } from './contract.ts';

interface Call {
  readonly dueAtMs: number;
  readonly reject: (error: unknown) => void;
  isOver: boolean;
}

export interface CallDeadlinesOptions {
  readonly deadlineMs: number;
  /** Told when calls went unanswered for so long that the connection must be taken for dead. */
  readonly silence?: { readonly afterMs: number; readonly tell: () => void };
}

const COMPACT_FROM = 1024;

/**
 * Lets no call last longer than the deadline. All have the same one, so they end in the order in which they began, and
 * one timer serves them all: a timer for each would cost more than the call.
 */
export class CallDeadlines {
  readonly #options: CallDeadlinesOptions;
  #calls: Call[] = [];
  #first = 0;
  #timer: NodeJS.Timeout | undefined;
  #silentSinceMs: number | undefined;

  constructor(options: CallDeadlinesOptions) {
    this.#options = options;
  }

  /** `onError` may answer in place of a call that failed, or throw what its failure means. */
  within<Result>(
    act: Promise<Result>,
    onError: (error: unknown) => Promise<Result> = Promise.reject.bind(Promise),
  ): Promise<Result> {
    return new Promise((resolve, reject) => {
      const call = { dueAtMs: performance.now() + this.#options.deadlineMs, reject, isOver: false };
      this.#calls.push(call);
      this.#timer ??= setTimeout(this.#expire, this.#options.deadlineMs);
      act.then(
        (result) => {
          this.#silentSinceMs = undefined;
          this.#end(call);
          resolve(result);
        },
        (error) => {
          // Nobody waits any more, and nobody would catch what came of it.
          if (call.isOver) return;
          this.#end(call);
          resolve(onError(error));
        },
      );
    });
  }

  /** Rejects whatever still waits. */
  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const call of this.#calls.splice(0)) {
      call.isOver = true;
      call.reject(new GridUnavailable());
    }
    this.#first = 0;
  }

  #end(call: Call): void {
    call.isOver = true;
    while (this.#calls[this.#first]?.isOver) this.#first++;
    if (this.#first < COMPACT_FROM || this.#first * 2 < this.#calls.length) return;
    this.#calls = this.#calls.slice(this.#first);
    this.#first = 0;
  }

  readonly #expire = (): void => {
    const now = performance.now();
    let expired = 0;
    for (; this.#first < this.#calls.length; this.#first++) {
      const call = this.#calls[this.#first]!;
      if (call.isOver) continue;
      // Timers may fire a little early.
      if (call.dueAtMs > now + 1) break;
      call.isOver = true;
      call.reject(
        new GridUnavailable({ cause: new Error(`no answer within ${this.#options.deadlineMs} ms`) }),
      );
      expired++;
    }
    const next = this.#calls[this.#first];
    this.#timer = next && setTimeout(this.#expire, Math.max(next.dueAtMs - now, 1));
    if (expired > 0) this.#noteSilence(now);
  };

  #noteSilence(now: number): void {
    const { deadlineMs, silence } = this.#options;
    this.#silentSinceMs ??= now - deadlineMs;
    if (!silence || now - this.#silentSinceMs < silence.afterMs) return;
    this.#silentSinceMs = undefined;
    silence.tell();
  }
}
