import type { Clock } from '../kernel/clock.ts';
import type { RetrySettings } from './delivery-settings.ts';

/** However often the delay was doubled, nobody waits longer between two attempts of our own accord. */
const MAX_BACKOFF_MS = 30_000;

/**
 * How long to wait before the given retry (1 is the first). The backoff doubles, and each wait is drawn from its upper
 * half, so that batches that failed together do not come back together. A server that asks for more gets it, up to
 * the cap.
 */
export function retryDelayMs(
  { backoffMs, maxRetryAfterMs }: RetrySettings,
  retry: number,
  askedMs: number | undefined,
  random: () => number,
): number {
  const fullMs = Math.min(backoffMs * 2 ** (retry - 1), Math.max(MAX_BACKOFF_MS, backoffMs));
  const waitMs = fullMs / 2 + (random() * fullMs) / 2;
  if (askedMs === undefined) return waitMs;
  return Math.max(waitMs, Math.min(askedMs, maxRetryAfterMs));
}

interface Waiting<Item> {
  readonly item: Item;
  readonly dueAtMs: number;
}

/** What waits for its next attempt. It holds no connection meanwhile, and one timer serves all (a heap, the earliest on top). */
export class RetrySchedule<Item> {
  readonly #clock: Clock;
  readonly #monotonicMs: () => number;
  readonly #onDue: (item: Item) => void;
  #heap: Waiting<Item>[] = [];
  #alarm: { readonly atMs: number; readonly cancel: AbortController } | undefined = undefined;

  constructor(clock: Clock, monotonicMs: () => number, onDue: (item: Item) => void) {
    this.#clock = clock;
    this.#monotonicMs = monotonicMs;
    this.#onDue = onDue;
  }

  get length(): number {
    return this.#heap.length;
  }

  add(item: Item, delayMs: number): void {
    this.#push({ item, dueAtMs: this.#monotonicMs() + delayMs });
    this.#setAlarm();
  }

  /** Ends all waits; nothing is due any more. */
  takeAll(): Item[] {
    const items = this.#heap.map(({ item }) => item);
    this.#heap = [];
    this.#alarm?.cancel.abort();
    this.#alarm = undefined;
    return items;
  }

  #setAlarm(): void {
    const first = this.#heap[0];
    if (!first || (this.#alarm && this.#alarm.atMs <= first.dueAtMs)) return;
    this.#alarm?.cancel.abort();
    const alarm = { atMs: first.dueAtMs, cancel: new AbortController() };
    this.#alarm = alarm;
    this.#clock.sleep(Math.max(0, first.dueAtMs - this.#monotonicMs()), alarm.cancel.signal).then(
      () => this.#release(alarm),
      // Cancelled: an earlier alarm took its place, or nothing waits any more.
      () => {},
    );
  }

  #release(alarm: object): void {
    if (this.#alarm !== alarm) return;
    this.#alarm = undefined;
    const nowMs = this.#monotonicMs();
    while (this.#heap.length > 0 && this.#heap[0]!.dueAtMs <= nowMs) this.#onDue(this.#pop());
    this.#setAlarm();
  }

  #push(waiting: Waiting<Item>): void {
    const heap = this.#heap;
    let at = heap.push(waiting) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (heap[parent]!.dueAtMs <= waiting.dueAtMs) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = waiting;
  }

  #pop(): Item {
    const heap = this.#heap;
    const first = heap[0]!;
    const last = heap.pop()!;
    if (heap.length === 0) return first.item;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && heap[child + 1]!.dueAtMs < heap[child]!.dueAtMs) child++;
      if (heap[child]!.dueAtMs >= last.dueAtMs) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
    return first.item;
  }
}
