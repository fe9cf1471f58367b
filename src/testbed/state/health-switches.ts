import type { Clock } from '../../kernel/clock.ts';
import { ExpiringMap } from './expiring-map.ts';

const BOUNDS = { maxEntries: 10_000, lifetimeMs: 24 * 60 * 60_000 };

/** Named switches between healthy and unhealthy. A switch nobody has turned is up. */
export class HealthSwitches {
  readonly #positions: ExpiringMap<boolean>;

  constructor(clock: Clock) {
    this.#positions = new ExpiringMap(clock, BOUNDS);
  }

  isUp(id: string): boolean {
    return this.#positions.peek(id) ?? true;
  }

  turn(id: string, isUp: boolean): void {
    this.#positions.set(id, isUp);
  }
}
