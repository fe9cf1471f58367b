import type { Batch } from './batch.ts';

/** Batches that may be sent, in their order; those that were tried before go first. */
export class ReadyQueue {
  readonly #again = new Fifo<Batch>();
  readonly #fresh = new Fifo<Batch>();

  get length(): number {
    return this.#again.length + this.#fresh.length;
  }

  push(batch: Batch): void {
    this.#fresh.push(batch);
  }

  pushAgain(batch: Batch): void {
    this.#again.push(batch);
  }

  take(): Batch | undefined {
    return this.#again.take() ?? this.#fresh.take();
  }
}

/** An array whose first places are emptied one by one and cut off together, because shifting a long one is slow. */
class Fifo<Item> {
  #items: (Item | undefined)[] = [];
  #first = 0;

  get length(): number {
    return this.#items.length - this.#first;
  }

  push(item: Item): void {
    this.#items.push(item);
  }

  take(): Item | undefined {
    if (this.length === 0) return undefined;
    const item = this.#items[this.#first];
    this.#items[this.#first++] = undefined;
    if (this.#first >= 1024 && this.#first * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#first);
      this.#first = 0;
    } else if (this.#first === this.#items.length) {
      this.#items = [];
      this.#first = 0;
    }
    return item;
  }
}
