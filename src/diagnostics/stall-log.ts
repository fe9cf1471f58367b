import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';

/** A time in which the event loop did not turn. */
export interface Stall {
  /** When it began. */
  readonly time: string;
  readonly durationMs: number;
  /** What the main thread was doing, where the stall was long enough to be asked about. */
  readonly stackTrace?: readonly string[];
}

export interface StallLogOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Shorter ones are no stalls. */
  readonly thresholdMs?: number;
  readonly tickMs?: number;
}

const MOST_KEPT = 100;
/** From here on a stall is worth a line in the log. */
const LOGGED_FROM_MS = 1000;

/** Remembers the last times at which the event loop stood still. Each tick is counted where another thread can see it. */
export class StallLog {
  /** Raised with every tick. */
  readonly ticks = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  readonly thresholdMs: number;
  readonly #tickMs: number;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #stalls: Array<Stall & { readonly tick: number }> = [];
  /** Of stalls whose end the main thread has not seen yet. */
  #early: { readonly tick: number; readonly stackTrace: readonly string[] } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #lastTickMs = 0;
  #count = 0;

  constructor({ clock, log, thresholdMs = 100, tickMs = 100 }: StallLogOptions) {
    this.#clock = clock;
    this.#log = log;
    this.thresholdMs = thresholdMs;
    this.#tickMs = tickMs;
  }

  /** How many there were since the start. */
  get count(): number {
    return this.#count;
  }

  /** The latest 100, the newest first. */
  latest(): Stall[] {
    return this.#stalls.map(({ tick: _tick, ...stall }) => stall).reverse();
  }

  start(): void {
    this.#lastTickMs = performance.now();
    this.#timer = setInterval(() => this.tick(performance.now()), this.#tickMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  tick(nowMs: number): void {
    const durationMs = Math.round(nowMs - this.#lastTickMs - this.#tickMs);
    this.#lastTickMs = nowMs;
    const tick = Atomics.add(this.ticks, 0, 1);
    if (durationMs >= this.thresholdMs) this.#record(tick, durationMs);
  }

  /** The other thread saw what went on after the given tick; its word may come before or after the stall was noticed here. */
  explain(tick: number, stackTrace: readonly string[]): void {
    const index = this.#stalls.findIndex((stall) => stall.tick === tick);
    const stall = this.#stalls[index];
    if (stall) this.#stalls[index] = { ...stall, stackTrace };
    else this.#early = { tick, stackTrace };
  }

  #record(tick: number, durationMs: number): void {
    this.#count++;
    const time = new Date(this.#clock.now() - durationMs).toISOString();
    const stackTrace = this.#early?.tick === tick ? this.#early.stackTrace : undefined;
    this.#early = undefined;
    this.#stalls.push({ tick, time, durationMs, ...(stackTrace && { stackTrace }) });
    if (this.#stalls.length > MOST_KEPT) this.#stalls.shift();
    if (durationMs >= LOGGED_FROM_MS) this.#log.warn({ event: 'event-loop.stalled', durationMs });
  }
}
