// The global is a getter, which would be called for every request.
const monotonicClock = performance;

// setTimeout fires at once for anything longer than a signed 32-bit number of milliseconds.
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * One deadline that is moved for every request without touching a timer: the timer is left where it is when the
 * deadline moves back, and looks again when it fires.
 */
export class Deadline<Phase extends string> {
  readonly #onMissed: (phase: Phase) => void;
  #phase: Phase | undefined = undefined;
  #dueAtMs = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined = undefined;
  #timerFiresAtMs = Number.POSITIVE_INFINITY;

  constructor(onMissed: (phase: Phase) => void) {
    this.#onMissed = onMissed;
  }

  get phase(): Phase | undefined {
    return this.#phase;
  }

  /** Replaces the deadline before. Zero milliseconds mean none. */
  set(phase: Phase, afterMs: number): void {
    this.#phase = phase;
    if (afterMs === 0) {
      this.#dueAtMs = Number.POSITIVE_INFINITY;
      return;
    }
    // The monotonic clock: a wall clock that is set must not cut connections off.
    this.#dueAtMs = monotonicClock.now() + afterMs;
    if (this.#timerFiresAtMs > this.#dueAtMs) this.#arm();
  }

  clear(): void {
    this.#phase = undefined;
    this.#dueAtMs = Number.POSITIVE_INFINITY;
  }

  dispose(): void {
    this.clear();
    clearTimeout(this.#timer);
    this.#timerFiresAtMs = Number.POSITIVE_INFINITY;
  }

  #arm(): void {
    clearTimeout(this.#timer);
    const waitMs = Math.min(Math.max(1, this.#dueAtMs - monotonicClock.now()), LONGEST_TIMER_MS);
    this.#timerFiresAtMs = monotonicClock.now() + waitMs;
    this.#timer = setTimeout(() => this.#look(), waitMs);
    // The socket keeps the process alive, not the wait for it.
    this.#timer.unref();
  }

  #look(): void {
    this.#timerFiresAtMs = Number.POSITIVE_INFINITY;
    const phase = this.#phase;
    if (phase === undefined || this.#dueAtMs === Number.POSITIVE_INFINITY) return;
    if (monotonicClock.now() < this.#dueAtMs) {
      this.#arm();
      return;
    }
    this.clear();
    this.#onMissed(phase);
  }
}
