import type { BreakerSettings } from './delivery-settings.ts';

export type CircuitState = 'closed' | 'open' | 'half-open';

/** Leave to make one attempt; its holder says once how the attempt ended. */
export interface Permit {
  /** The target answered as one that works. */
  succeeded(): void;
  failed(): void;
  /** The attempt says nothing about the target. */
  abandoned(): void;
}

/** A probe that never reports must not keep the circuit half-open for ever. */
const MIN_PROBE_LEASE_MS = 60_000;

/** Leave without conditions, for connections without a breaker. */
const unconditional: Permit = { succeeded() {}, failed() {}, abandoned() {} };

/**
 * Opens when the threshold of failures is reached within the window; then nobody may call until the sleep window is
 * over, and then exactly one (spec 2 §3). It has no timer: the state moves on when somebody looks.
 */
export class CircuitBreaker {
  readonly #settings: BreakerSettings | undefined;
  readonly #monotonicMs: () => number;
  #state: CircuitState = 'closed';
  /** Ring of the times of the last failures, as many as the threshold. */
  #failuresMs: number[] = [];
  #nextFailure = 0;
  #openedAtMs = 0;
  #probeEndsAtMs = 0;
  /** Counts the changes of state: what an attempt reports that began before the last one is too late. */
  #generation = 0;
  #openings = 0;

  constructor(settings: BreakerSettings | undefined, monotonicMs: () => number) {
    this.#settings = settings;
    this.#monotonicMs = monotonicMs;
  }

  /** As it is shown; open although the sleep window is over, as long as nobody has tried. */
  get state(): CircuitState | 'off' {
    return this.#settings ? this.#state : 'off';
  }

  /** How often it has opened. */
  get openings(): number {
    return this.#openings;
  }

  /** Whether an attempt would be refused now. */
  get isRefusing(): boolean {
    if (!this.#settings || this.#state === 'closed') return false;
    return this.#state === 'open' ? !this.#hasSlept(this.#settings) : !this.#isProbeOverdue();
  }

  /** Undefined: do not call. */
  enter(): Permit | undefined {
    if (!this.#settings) return unconditional;
    if (this.isRefusing) return undefined;
    if (this.#state === 'closed') return this.#permit();
    if (!this.#settings.isHalfOpenEnabled) {
      this.#close();
      return this.#permit();
    }
    this.#moveTo('half-open');
    this.#probeEndsAtMs = this.#monotonicMs() + Math.max(MIN_PROBE_LEASE_MS, this.#settings.sleepMs);
    return this.#permit();
  }

  #permit(): Permit {
    const generation = this.#generation;
    let isUsed = false;
    const once = (report: () => void) => () => {
      if (isUsed || generation !== this.#generation) return;
      isUsed = true;
      report();
    };
    return {
      succeeded: once(() => {
        if (this.#state === 'half-open') this.#close();
      }),
      failed: once(() => {
        if (this.#state === 'half-open') this.#open();
        else this.#countFailure();
      }),
      // A probe that was cut off proved nothing: the next one has to wait its time, too.
      abandoned: once(() => {
        if (this.#state === 'half-open') this.#open();
      }),
    };
  }

  #countFailure(): void {
    const { threshold, windowMs } = this.#settings!;
    const nowMs = this.#monotonicMs();
    this.#failuresMs[this.#nextFailure] = nowMs;
    this.#nextFailure = (this.#nextFailure + 1) % threshold;
    if (this.#failuresMs.length < threshold) return;
    // The ring is full, so that the next place holds the oldest failure that counts.
    if (nowMs - this.#failuresMs[this.#nextFailure]! < windowMs) this.#open();
  }

  #open(): void {
    this.#moveTo('open');
    this.#openings++;
    this.#openedAtMs = this.#monotonicMs();
  }

  #close(): void {
    this.#moveTo('closed');
    this.#failuresMs = [];
    this.#nextFailure = 0;
  }

  #moveTo(state: CircuitState): void {
    this.#state = state;
    this.#generation++;
  }

  #hasSlept({ sleepMs }: BreakerSettings): boolean {
    return this.#monotonicMs() - this.#openedAtMs >= sleepMs;
  }

  #isProbeOverdue(): boolean {
    return this.#monotonicMs() >= this.#probeEndsAtMs;
  }
}
