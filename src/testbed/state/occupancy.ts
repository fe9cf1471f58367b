import type { Clock } from '../../kernel/clock.ts';
import { ExpiringMap } from './expiring-map.ts';

const BOUNDS = { maxEntries: 10_000, lifetimeMs: 60 * 60_000 };

export interface Admission {
  readonly isAdmitted: boolean;
  /** How many are inside now, this one included when it was admitted. */
  readonly inside: number;
}

/**
 * Counts who is inside at the moment, per id. A seat that is never given back (its process died)
 * is free again once its time is over.
 */
export class Occupancy {
  readonly #rooms: ExpiringMap<Map<string, number>>;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#rooms = new ExpiringMap(clock, BOUNDS);
  }

  /** Takes a seat for at most maxMs unless `limit` seats are taken. */
  enter(id: string, seat: string, limit: number, maxMs: number): Admission {
    const seats = this.#rooms.touch(id, () => new Map());
    const nowMs = this.#clock.now();
    for (const [taken, untilMs] of seats) {
      if (untilMs <= nowMs) seats.delete(taken);
    }
    if (seats.size >= limit) return { isAdmitted: false, inside: seats.size };
    seats.set(seat, nowMs + maxMs);
    return { isAdmitted: true, inside: seats.size };
  }

  leave(id: string, seat: string): void {
    this.#rooms.peek(id)?.delete(seat);
  }
}
