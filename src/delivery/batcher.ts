import type { Clock } from '../kernel/clock.ts';
import { Batch } from './batch.ts';
import type { BodyMemory } from './body-memory.ts';
import type { DeliveryAddress } from './delivery-address.ts';
import type { DeliveryEvent, Fallback } from './delivery-event.ts';
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
  #block: Buffer | undefined = undefined;
  /** Of the batch before: the next will be about as large. */
  #expectedBytes = 0;
  #usedBytes = 0;
  #chargedBytes = 0;
  #ends: number[] = [];
  #recordStarts: number[] = [];
  #timesMs: number[] = [];
  #contexts: (DeliveryEvent['context'] | undefined)[] | undefined = undefined;
  #openedAtMs = 0;
  #isWatching = false;

  constructor(options: BatcherOptions) {
    this.#options = options;
    this.#maxEvents = options.settings.isEnabled ? options.settings.maxEvents : 1;
  }

  get eventCount(): number {
    return this.#ends.length;
  }

  add(event: EncodedEvent, chargedBytes: number): void {
    const { maxBytes } = this.#options.settings;
    if (this.#usedBytes > 0 && this.#usedBytes + event.bytes > maxBytes) this.flush();
    this.#write(event);
    this.#chargedBytes += chargedBytes;
    if (this.#ends.length >= this.#maxEvents || this.#usedBytes >= maxBytes) this.flush();
    else if (this.#ends.length === 1) this.#startDelay();
  }

  flush(): void {
    if (this.#ends.length === 0) return;
    const { address, fallback, closing, onBatch } = this.#options;
    const { body, block } = this.#takeBody();
    const batch = new Batch({
      address,
      fallback,
      body,
      block,
      marks: {
        ends: this.#ends,
        recordStarts: this.#recordStarts,
        timesMs: this.#timesMs,
        contexts: this.#contexts,
      },
      closingBytes: closing.length,
      chargedBytes: this.#chargedBytes,
    });
    this.#usedBytes = 0;
    this.#chargedBytes = 0;
    this.#ends = [];
    this.#recordStarts = [];
    this.#timesMs = [];
    this.#contexts = undefined;
    onBatch(batch);
  }

  #write({ opening, openingBytes, json, bytes, timeMs, context }: EncodedEvent): void {
    const { closing } = this.#options;
    const start = this.#usedBytes;
    const end = start + bytes;
    const block = this.#blockOf(end);
    if (openingBytes > 0) block.write(opening, start, 'utf8');
    block.write(json, start + openingBytes, 'utf8');
    for (let index = 0; index < closing.length; index++)
      block[end - closing.length + index] = closing.charCodeAt(index);
    this.#usedBytes = end;
    this.#recordStarts.push(start + openingBytes);
    this.#ends.push(end);
    this.#timesMs.push(timeMs);
    if (context === undefined && this.#contexts === undefined) return;
    this.#contexts ??= new Array(this.#ends.length - 1).fill(undefined);
    this.#contexts.push(context);
  }

  /** The block that is being filled, large enough for so many bytes. */
  #blockOf(neededBytes: number): Buffer {
    const { memory } = this.#options;
    const block = this.#block ?? memory.take(Math.max(neededBytes, this.#expectedBytes));
    this.#block = block;
    if (neededBytes <= block.length) return block;
    const larger = memory.take(Math.max(neededBytes, block.length * 1.5));
    block.copy(larger, 0, 0, this.#usedBytes);
    memory.giveBack(block);
    this.#block = larger;
    return larger;
  }

  #takeBody(): { readonly body: Buffer; readonly block: Buffer | undefined } {
    const block = this.#block!;
    this.#block = undefined;
    this.#expectedBytes = this.#usedBytes;
    const body = block.subarray(0, this.#usedBytes);
    if (this.#usedBytes >= block.length * WELL_FILLED) return { body, block };
    const copy = Buffer.allocUnsafeSlow(this.#usedBytes);
    body.copy(copy);
    this.#options.memory.giveBack(block);
    return { body: copy, block: undefined };
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
      while (this.#ends.length > 0) {
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
