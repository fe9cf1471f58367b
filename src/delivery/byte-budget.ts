import type { Clock } from '../kernel/clock.ts';

/**
 * A class and not a literal: during an outage so many live long that V8 would begin to make literals in the memory of
 * old objects, where each one that is over keeps its event until the next full collection.
 */
class Waiter {
  readonly bytes: number;
  readonly giveUpAtMs: number;
  readonly onEnd: (isGranted: boolean) => void;

  constructor(bytes: number, giveUpAtMs: number, onEnd: (isGranted: boolean) => void) {
    this.bytes = bytes;
    this.giveUpAtMs = giveUpAtMs;
    this.onEnd = onEnd;
  }
}

export interface ByteBudgetOptions {
  readonly capacityBytes: number;
  readonly clock: Clock;
  readonly monotonicMs: () => number;
}

/** The list of those who wait must not become the leak itself. */
export const MAX_WAITERS = 1000;

/**
 * The memory of a connection: whatever is inside, wherever it waits, is charged here once and given back once. Those
 * who find no room wait in line for a while.
 */
export class ByteBudget {
  readonly capacityBytes: number;
  readonly #clock: Clock;
  readonly #monotonicMs: () => number;
  /** Always the same array: each one left behind would keep those who waited in it from being collected early. */
  readonly #waiters: Waiter[] = [];
  #usedBytes = 0;
  #waitingBytes = 0;
  #watch: { readonly untilMs: number; readonly stop: AbortController } | undefined = undefined;

  constructor({ capacityBytes, clock, monotonicMs }: ByteBudgetOptions) {
    this.capacityBytes = capacityBytes;
    this.#clock = clock;
    this.#monotonicMs = monotonicMs;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  get waiterCount(): number {
    return this.#waiters.length;
  }

  /** Nobody overtakes those who wait. */
  tryTake(bytes: number): boolean {
    if (this.#waiters.length > 0 || this.#usedBytes + bytes > this.capacityBytes) return false;
    this.#usedBytes += bytes;
    return true;
  }

  /** Calls back once, with what came first: the room or the end of the wait. */
  wait(bytes: number, maxWaitMs: number, onEnd: (isGranted: boolean) => void): void {
    const mayWait = maxWaitMs > 0 && this.#waiters.length < MAX_WAITERS;
    // A quarter of the buffer again may stand in line, and a single event always.
    const hasPlace = this.#waiters.length === 0 || this.#waitingBytes + bytes <= this.capacityBytes / 4;
    if (!mayWait || !hasPlace) {
      onEnd(false);
      return;
    }
    const giveUpAtMs = this.#monotonicMs() + maxWaitMs;
    this.#waiters.push(new Waiter(bytes, giveUpAtMs, onEnd));
    this.#waitingBytes += bytes;
    this.#watchUntil(giveUpAtMs);
  }

  release(bytes: number): void {
    this.#usedBytes -= bytes;
    this.#grant();
  }

  /** Everybody who waits is told no. */
  refuseWaiters(): void {
    for (const waiter of this.#waiters.splice(0)) this.#end(waiter, false);
    this.#stopWatching();
  }

  #grant(): void {
    while (this.#waiters.length > 0) {
      const first = this.#waiters[0]!;
      if (this.#usedBytes + first.bytes > this.capacityBytes) return;
      this.#usedBytes += first.bytes;
      this.#waiters.shift();
      this.#end(first, true);
    }
    this.#stopWatching();
  }

  #end(waiter: Waiter, isGranted: boolean): void {
    this.#waitingBytes -= waiter.bytes;
    waiter.onEnd(isGranted);
  }

  /** One timer for all: it is set again only for somebody who gives up earlier than those before. */
  #watchUntil(giveUpAtMs: number): void {
    if (this.#watch && this.#watch.untilMs <= giveUpAtMs) return;
    this.#stopWatching();
    const watch = { untilMs: giveUpAtMs, stop: new AbortController() };
    this.#watch = watch;
    this.#clock.sleep(giveUpAtMs - this.#monotonicMs(), watch.stop.signal).then(
      () => this.#refuseLate(watch),
      // Aborted: another watch took its place, or nobody waits any more.
      () => {},
    );
  }

  #stopWatching(): void {
    this.#watch?.stop.abort();
    this.#watch = undefined;
  }

  #refuseLate(watch: object): void {
    if (this.#watch !== watch) return;
    this.#watch = undefined;
    const late = this.#takeLate(this.#monotonicMs());
    for (const waiter of late) this.#end(waiter, false);
    // One that was too big for the room there is may have stood before others that are not.
    this.#grant();
    let nextMs = Number.POSITIVE_INFINITY;
    for (const { giveUpAtMs } of this.#waiters) nextMs = Math.min(nextMs, giveUpAtMs);
    if (this.#waiters.length > 0) this.#watchUntil(nextMs);
  }

  #takeLate(nowMs: number): Waiter[] {
    const waiters = this.#waiters;
    const late: Waiter[] = [];
    let left = 0;
    for (const waiter of waiters) {
      if (waiter.giveUpAtMs <= nowMs) late.push(waiter);
      else waiters[left++] = waiter;
    }
    waiters.length = left;
    return late;
  }
}
