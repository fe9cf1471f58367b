import type { Clock } from '../../kernel/clock.ts';
import { ExpiringMap } from './expiring-map.ts';

/** Longer than a token stays fresh, so that none outlives its nonce. */
const BOUNDS = { maxEntries: 100_000, lifetimeMs: 11 * 60_000 };

/** The nonces of WS-Security tokens that were accepted; each is good once. */
export class SoapNonces {
  readonly #used: ExpiringMap<true>;

  constructor(clock: Clock) {
    this.#used = new ExpiringMap(clock, BOUNDS);
  }

  /** False when it was used before. */
  use(nonce: string): boolean {
    if (this.#used.peek(nonce)) return false;
    this.#used.set(nonce, true);
    return true;
  }
}
