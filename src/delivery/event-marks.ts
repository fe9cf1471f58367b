import type { DeliveryEvent } from './delivery-event.ts';

type Context = DeliveryEvent['context'];

/** What is known of each event in a body, by position. The arrays stay when they are emptied, to be filled again. */
export class EventMarks {
  readonly #ends: number[] = [];
  readonly #recordStarts: number[] = [];
  readonly #timesMs: number[] = [];
  /** Only when an event brought one. */
  #contexts: Context[] | undefined = undefined;
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(recordStart: number, end: number, timeMs: number, context: Context): void {
    const index = this.#count++;
    this.#ends[index] = end;
    this.#recordStarts[index] = recordStart;
    this.#timesMs[index] = timeMs;
    if (context !== undefined) this.#contexts ??= [];
    if (this.#contexts) this.#contexts[index] = context;
  }

  /** Where the text of the event ends in the body. */
  endOf(index: number): number {
    return this.#ends[index]!;
  }

  /** Where the record of the event begins. */
  recordStartOf(index: number): number {
    return this.#recordStarts[index]!;
  }

  timeMsOf(index: number): number {
    return this.#timesMs[index]!;
  }

  contextOf(index: number): Context {
    return this.#contexts?.[index];
  }

  /** Of the events from `from` up to, not including, `to`, in a body that begins with the first of them. */
  slice(from: number, to: number): EventMarks {
    const slice = new EventMarks();
    const start = from === 0 ? 0 : this.endOf(from - 1);
    for (let index = from; index < to; index++)
      slice.add(
        this.recordStartOf(index) - start,
        this.endOf(index) - start,
        this.timeMsOf(index),
        this.contextOf(index),
      );
    return slice;
  }

  clear(): void {
    this.#count = 0;
    this.#contexts = undefined;
  }
}
