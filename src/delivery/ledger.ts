import type { DeliveryCounters } from './counters.ts';

/** The books of one engine: every event it accepts is entered once and leaves once, in exactly one way. */
export class Ledger {
  readonly counters: DeliveryCounters;
  #held = 0;
  #onEmpty: (() => void)[] = [];

  constructor(counters: DeliveryCounters) {
    this.counters = counters;
  }

  /** Events that have not come to their end. */
  get held(): number {
    return this.#held;
  }

  accept(): void {
    this.counters.accept();
    this.#held++;
  }

  /** One that was accepted and goes to another engine instead, which accepts it anew. */
  takeBack(): void {
    this.counters.takeBack();
    this.#leave(1);
  }

  deliver(events: number, isOnlyQueued: boolean): void {
    this.counters.deliver(events, isOnlyQueued);
    this.#leave(events);
  }

  failOver(events: number): void {
    this.counters.failOver(events);
    this.#leave(events);
  }

  keepUnsent(events: number): void {
    this.counters.keepUnsent(events);
    this.#leave(events);
  }

  drop(events: number, reason: string): void {
    this.counters.drop(events, reason);
    this.#leave(events);
  }

  whenEmpty(): Promise<void> {
    if (this.#held === 0) return Promise.resolve();
    return new Promise((resolve) => this.#onEmpty.push(resolve));
  }

  #leave(events: number): void {
    this.#held -= events;
    if (this.#held > 0) return;
    for (const resolve of this.#onEmpty.splice(0)) resolve();
  }
}
