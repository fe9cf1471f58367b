import type { Clock } from '../kernel/clock.ts';
import { Batch } from './batch.ts';
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
  /** True where there may be many of them: what a big batch took is given back after it. */
  readonly isOneOfMany: boolean;
}

const FIRST_SLAB_BYTES = 16 * 1024;

/**
 * Collects events for one address until there are enough of them, enough bytes, or the first has waited long enough.
 * Texts are written straight into one block of memory that serves every batch; a closed batch is an exact copy, so
 * that it holds on to no more than what it was charged.
 */
export class Batcher {
  readonly #options: BatcherOptions;
  readonly #maxEvents: number;
  #slab = Buffer.allocUnsafeSlow(FIRST_SLAB_BYTES);
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
    const { address, fallback, closing, onBatch, isOneOfMany } = this.#options;
    const body = Buffer.allocUnsafeSlow(this.#usedBytes);
    this.#slab.copy(body, 0, 0, this.#usedBytes);
    const batch = new Batch({
      address,
      fallback,
      body,
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
    if (isOneOfMany && this.#slab.length > FIRST_SLAB_BYTES)
      this.#slab = Buffer.allocUnsafeSlow(FIRST_SLAB_BYTES);
    onBatch(batch);
  }

  #write({ opening, openingBytes, json, bytes, timeMs, context }: EncodedEvent): void {
    const { closing } = this.#options;
    const start = this.#usedBytes;
    const end = start + bytes;
    if (end > this.#slab.length) this.#grow(end);
    const slab = this.#slab;
    if (openingBytes > 0) slab.write(opening, start, 'utf8');
    slab.write(json, start + openingBytes, 'utf8');
    for (let index = 0; index < closing.length; index++)
      slab[end - closing.length + index] = closing.charCodeAt(index);
    this.#usedBytes = end;
    this.#recordStarts.push(start + openingBytes);
    this.#ends.push(end);
    this.#timesMs.push(timeMs);
    if (context === undefined && this.#contexts === undefined) return;
    this.#contexts ??= new Array(this.#ends.length - 1).fill(undefined);
    this.#contexts.push(context);
  }

  #grow(neededBytes: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(neededBytes, this.#slab.length * 2));
    this.#slab.copy(larger, 0, 0, this.#usedBytes);
    this.#slab = larger;
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
