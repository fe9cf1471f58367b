import type { Clock } from '../../kernel/clock.ts';
import { ExpiringMap } from './expiring-map.ts';

const BOUNDS = { maxEntries: 2_000, lifetimeMs: 60 * 60_000 };
/** Of each part, so that many outer requests never hide the one that matters. */
const MAX_KEPT_OF_A_PART = 50;

/** `outer` is the request the tester sends, `hidden` the one concealed inside it. */
export type ProbePart = 'outer' | 'hidden';

export interface ProbeArrival {
  readonly atMs: number;
  readonly part: ProbePart;
  readonly method: string;
  readonly target: string;
  readonly connectionId: string;
  readonly requestNo: number;
  readonly framing: string;
  readonly bodyLength: number;
  /** The hidden request was seen where it belongs: inside the body. */
  readonly isHiddenInBody: boolean;
  /** The Upgrade field, which no proxy may forward by itself. */
  readonly upgrade: string | null;
}

/** Which requests reached the backend for each canary id. */
export class SmugglingCanaries {
  readonly #arrivals: ExpiringMap<readonly ProbeArrival[]>;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#arrivals = new ExpiringMap(clock, BOUNDS);
  }

  record(id: string, arrival: Omit<ProbeArrival, 'atMs'>): void {
    const before = this.#arrivals.peek(id) ?? [];
    if (before.filter(({ part }) => part === arrival.part).length >= MAX_KEPT_OF_A_PART) return;
    this.#arrivals.set(id, [...before, { ...arrival, atMs: this.#clock.now() }]);
  }

  arrivals(id: string): readonly ProbeArrival[] {
    return this.#arrivals.peek(id) ?? [];
  }
}
