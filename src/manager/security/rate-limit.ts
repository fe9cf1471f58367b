const WINDOW_MS = 60_000;

/**
 * So many hits a minute for each key, evenly refilled. One number per key is kept: the moment at which its hits so far
 * would be used up at the allowed pace (the generic cell rate algorithm).
 */
export class RateLimit {
  readonly #maxKeys: number;
  /** The key that was hit longest ago stands first. */
  readonly #usedUpAt = new Map<string, number>();

  constructor(maxKeys: number) {
    this.#maxKeys = maxKeys;
  }

  get size(): number {
    return this.#usedUpAt.size;
  }

  /** Counts one hit. Returns 0 when it may pass, else the milliseconds after which one may again. */
  hit(key: string, perMinute: number, now: number): number {
    const intervalMs = WINDOW_MS / perMinute;
    const usedUpAt = Math.max(this.#usedUpAt.get(key) ?? now, now) + intervalMs;
    const waitMs = usedUpAt - now - WINDOW_MS;
    // Half an interval forgives what floating point adds up.
    if (waitMs > intervalMs / 2) return waitMs;
    this.#keep(key, usedUpAt);
    return 0;
  }

  #keep(key: string, usedUpAt: number): void {
    this.#usedUpAt.delete(key);
    this.#usedUpAt.set(key, usedUpAt);
    if (this.#usedUpAt.size <= this.#maxKeys) return;
    const [oldest] = this.#usedUpAt.keys();
    this.#usedUpAt.delete(oldest!);
  }
}
