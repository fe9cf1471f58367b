import type { Clock } from '../../kernel/clock.ts';
import { ExpiringMap } from './expiring-map.ts';

const BOUNDS = { maxEntries: 10_000, lifetimeMs: 60 * 60_000 };
const MAX_KEPT_ARRIVALS = 100;

export interface Arrival {
  readonly atMs: number;
  readonly method: string;
  readonly connectionId: string;
  readonly requestNo: number;
}

export interface Tally {
  /** All attempts, also those whose arrival is no longer kept. */
  readonly count: number;
  readonly firstAtMs: number;
  /** The newest arrivals, oldest first. */
  readonly arrivals: readonly Arrival[];
}

/** Counts the requests that name the same key; the base of retry, flaky and circuit tests. */
export class Attempts {
  readonly #tallies: ExpiringMap<Tally>;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#tallies = new ExpiringMap(clock, BOUNDS);
  }

  /** Counts one attempt and returns the tally with it. */
  record(key: string, from: Omit<Arrival, 'atMs'>): Tally {
    const before = this.#tallies.peek(key);
    const arrival = { ...from, atMs: this.#clock.now() };
    const tally = {
      count: (before?.count ?? 0) + 1,
      firstAtMs: before?.firstAtMs ?? arrival.atMs,
      arrivals: [...(before?.arrivals ?? []), arrival].slice(-MAX_KEPT_ARRIVALS),
    };
    this.#tallies.set(key, tally);
    return tally;
  }

  tally(key: string): Tally | undefined {
    return this.#tallies.peek(key);
  }

  forget(key: string): boolean {
    return this.#tallies.delete(key);
  }
}
