import type { Clock } from '../kernel/clock.ts';
import { Batch, type BatchParts } from './batch.ts';
import type { Block, BodyMemory } from './body-memory.ts';
import type { DeliveryAddress } from './delivery-address.ts';
import type { Fallback } from './delivery-event.ts';
import type { BatchSettings } from './delivery-settings.ts';
import type { EncodedEvent } from './encode.ts';

export interface BatcherOptions {
  readonly settings: BatchSettings;
  readonly address: DeliveryAddress;
  readonly fallback: Fallback;
  /** What follows every record; ASCII. */
  readonly closing: string;
  readonly clock: Clock;
  readonly monotonicMs: () => number;
  /** Ends the wait for more events. */
  readonly signal: AbortSignal;
  readonly onBatch: (batch: Batch) => void;
  readonly memory: BodyMemory;
}

/** A block that is filled at least so far becomes the body itself; of a lesser one an exact copy is made. */
const WELL_FILLED = 0.75;

/**
 * Collects events for one address until there are enough of them, enough bytes, or the first has waited long enough.
 * Texts are written straight into a block of memory, which a closed batch takes along or leaves behind, so that it
 * holds on to hardly more than what it was charged.
 */
export class Batcher {
  readonly #options: BatcherOptions;
  readonly #maxEvents: number;
  /** While there are events in it. */
  #block: Block | undefined = undefined;
  /** Of the batch before: the next will be about as large. */
  #expectedBytes = 0;
  #usedBytes = 0;
  #chargedBytes = 0;
  #openedAtMs = 0;
  #isWatching = false;

  constructor(options: BatcherOptions) {
    this.#options = options;
    this.#maxEvents = options.settings.isEnabled ? options.settings.maxEvents : 1;
  }

  get eventCount(): number {
    return this.#block?.marks.count ?? 0;
  }

  add(event: EncodedEvent, chargedBytes: number): void {
    const { maxBytes } = this.#options.settings;
    if (this.#usedBytes > 0 && this.#usedBytes + event.bytes > maxBytes) this.flush();
    this.#write(event);
    this.#chargedBytes += chargedBytes;
    if (this.eventCount >= this.#maxEvents || this.#usedBytes >= maxBytes) this.flush();
    else if (this.eventCount === 1) this.#startDelay();
  }

  flush(): void {
    if (this.eventCount === 0) return;
    const { address, fallback, closing, onBatch } = this.#options;
    const batch = new Batch({
      address,
      fallback,
      ...this.#takeBody(),
      closingBytes: closing.length,
      chargedBytes: this.#chargedBytes,
    });
    this.#usedBytes = 0;
    this.#chargedBytes = 0;
    onBatch(batch);
  }

  #write({ opening, openingBytes, json, bytes, timeMs, context }: EncodedEvent): void {
    const { closing } = this.#options;
    const start = this.#usedBytes;
    const end = start + bytes;
    const { bytes: block, marks } = this.#blockOf(end);
    if (openingBytes > 0) block.write(opening, start, 'utf8');
    block.write(json, start + openingBytes, 'utf8');
    for (let index = 0; index < closing.length; index++)
      block[end - closing.length + index] = closing.charCodeAt(index);
    this.#usedBytes = end;
    marks.add(start + openingBytes, end, timeMs, context);
  }

  /** The block that is being filled, large enough for so many bytes. */
  #blockOf(neededBytes: number): Block {
    const { memory } = this.#options;
    const block = this.#block ?? memory.take(Math.max(neededBytes, this.#expectedBytes));
    this.#block = block;
    if (neededBytes <= block.bytes.length) return block;
    const larger = memory.take(Math.max(neededBytes, block.bytes.length * 1.5));
    block.bytes.copy(larger.bytes, 0, 0, this.#usedBytes);
    this.#block = { bytes: larger.bytes, marks: block.marks };
    memory.giveBack({ bytes: block.bytes, marks: larger.marks });
    return this.#block;
  }

  #takeBody(): Pick<BatchParts, 'body' | 'marks' | 'block'> {
    const { memory } = this.#options;
    const block = this.#block!;
    const { bytes, marks } = block;
    this.#block = undefined;
    this.#expectedBytes = this.#usedBytes;
    const body = bytes.subarray(0, this.#usedBytes);
    if (this.#usedBytes >= bytes.length * WELL_FILLED) return { body, marks, block };
    const copy = Buffer.allocUnsafeSlow(this.#usedBytes);
    body.copy(copy);
    const copiedMarks = marks.slice(0, marks.count);
    memory.giveBack(block);
    return { body: copy, marks: copiedMarks };
  }

  #startDelay(): void {
    this.#openedAtMs = this.#options.monotonicMs();
    if (this.#isWatching) return;
    this.#isWatching = true;
    void this.#watch();
  }

  /** One sleeper for all batches: when it wakes for one that is gone, it looks how long the next has still to wait. */
  async #watch(): Promise<void> {
    const { settings, clock, monotonicMs, signal } = this.#options;
    try {
      while (this.eventCount > 0) {
        await clock.sleep(this.#openedAtMs + settings.maxDelayMs - monotonicMs(), signal);
        if (monotonicMs() - this.#openedAtMs >= settings.maxDelayMs) this.flush();
      }
    } catch (error) {
      // The engine stops and flushes by itself.
      if (!signal.aborted) throw error;
    } finally {
      this.#isWatching = false;
    }
  }
}
