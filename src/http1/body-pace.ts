import type { Http1Timeouts } from './limits.ts';

// The global is a getter, which would be called for every chunk.
const monotonicClock = performance;

/**
 * How long the next bytes of a request body may take. A pause ends the body, and so does dripping: each byte earns its
 * sender a little time, so that a body which would take for ever is let go while a slow one is not.
 */
export class BodyPace {
  readonly #pauseMs: number;
  readonly #msPerByte: number;
  /** Undefined while the sender is not waited for. */
  #since: { readonly ms: number; readonly receivedBytes: number } | undefined = undefined;

  constructor({ bodyMs, minBodyBytesPerSecond }: Http1Timeouts) {
    this.#pauseMs = bodyMs;
    this.#msPerByte = minBodyBytesPerSecond === 0 ? Number.POSITIVE_INFINITY : 1000 / minBodyBytesPerSecond;
  }

  /** At least 1, or zero when there is no limit. */
  remainingMs(receivedBytes: number): number {
    if (this.#pauseMs === 0) return 0;
    if (this.#msPerByte === Number.POSITIVE_INFINITY) return this.#pauseMs;
    const nowMs = monotonicClock.now();
    this.#since ??= { ms: nowMs, receivedBytes };
    const earnedMs = (receivedBytes - this.#since.receivedBytes) * this.#msPerByte;
    const leftMs = this.#since.ms + this.#pauseMs + earnedMs - nowMs;
    return Math.max(1, Math.min(this.#pauseMs, leftMs));
  }

  /** It is we who do not read: that is not the sender's time. */
  hold(): void {
    this.#since = undefined;
  }
}
