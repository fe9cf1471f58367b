import type { Clock } from '../../kernel/clock.ts';

export interface ExpiringMapBounds {
  readonly maxEntries: number;
  /** An entry untouched for this long is gone. */
  readonly lifetimeMs: number;
}

interface Slot<Value> {
  value: Value;
  expiresAtMs: number;
}

/**
 * A map for state that clients create by naming it: entries die when nobody touches them, and the entry
 * untouched the longest makes room when the map is full. It needs no timer, because a Map keeps the order
 * in which its keys were set and every touch sets the key anew.
 */
export class ExpiringMap<Value> {
  readonly #slots = new Map<string, Slot<Value>>();
  readonly #clock: Clock;
  readonly #bounds: ExpiringMapBounds;

  constructor(clock: Clock, bounds: ExpiringMapBounds) {
    this.#clock = clock;
    this.#bounds = bounds;
  }

  get size(): number {
    this.#dropExpired();
    return this.#slots.size;
  }

  /** Looks without keeping the entry alive. */
  peek(key: string): Value | undefined {
    const slot = this.#slots.get(key);
    return slot && slot.expiresAtMs > this.#clock.now() ? slot.value : undefined;
  }

  set(key: string, value: Value): void {
    this.#slots.delete(key);
    this.#dropExpired();
    for (const oldest of this.#slots.keys()) {
      if (this.#slots.size < this.#bounds.maxEntries) break;
      this.#slots.delete(oldest);
    }
    this.#slots.set(key, { value, expiresAtMs: this.#clock.now() + this.#bounds.lifetimeMs });
  }

  /** The entry, made when there is none; either way it lives on from now. */
  touch(key: string, make: () => Value): Value {
    const value = this.peek(key) ?? make();
    this.set(key, value);
    return value;
  }

  delete(key: string): boolean {
    const isThere = this.peek(key) !== undefined;
    this.#slots.delete(key);
    return isThere;
  }

  #dropExpired(): void {
    const nowMs = this.#clock.now();
    for (const [key, slot] of this.#slots) {
      if (slot.expiresAtMs > nowMs) return;
      this.#slots.delete(key);
    }
  }
}
