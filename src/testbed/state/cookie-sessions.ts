import type { Clock } from '../../kernel/clock.ts';
import { ExpiringMap } from './expiring-map.ts';

const BOUNDS = { maxEntries: 10_000, lifetimeMs: 30 * 60_000 };

export interface SessionVisit {
  readonly id: string;
  readonly isNew: boolean;
  /** Visits of this session, this one included. */
  readonly count: number;
}

/** Sessions that a cookie carries: proof that a proxy brings the cookie back, to whichever process. */
export class CookieSessions {
  readonly #visits: ExpiringMap<number>;

  constructor(clock: Clock) {
    this.#visits = new ExpiringMap(clock, BOUNDS);
  }

  /** Counts a visit. An id we never gave out begins a new session, so that nobody can fix one for others. */
  visit(id: string | undefined, freshId: string): SessionVisit {
    const visits = id === undefined ? undefined : this.#visits.peek(id);
    const session =
      id !== undefined && visits !== undefined
        ? { id, isNew: false, count: visits + 1 }
        : { id: freshId, isNew: true, count: 1 };
    this.#visits.set(session.id, session.count);
    return session;
  }
}
