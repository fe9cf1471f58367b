import type { Clock } from '../../kernel/clock.ts';
import {
  type Count,
  ENTRY_OVERHEAD_BYTES,
  GridRefusal,
  GridUnavailable,
  type MapLimits,
  type MapMetrics,
} from '../contract.ts';
import type { MapEngine, Payload } from '../engine.ts';
import { noStatistics } from '../map-statistics.ts';
import { type ListedEntry, RecencyList } from './recency-list.ts';

/** Counters are kept as numbers, so that counting makes no text. */
type Held = Payload | number;

interface Entry extends ListedEntry<Entry> {
  readonly key: string;
  held: Held;
  bytes: number;
  /** Infinity for ever. */
  expiresAtMs: number;
}

/** Without limits of its own a map is bound by these. */
const DEFAULT_MAX_ENTRIES = 1_000_000;
const DEFAULT_MAX_BYTES = 256 * 1024 * 1024;
/** How many entries each new one looks over, so that expired ones go at least as fast as others come. */
const LOOKED_OVER_BY_A_WRITE = 2;
const LOOKED_OVER_BEFORE_COUNTING = 10_000;
const WHOLE_NUMBER = /^-?\d{1,16}$/;

/** One map in this process. Every step takes the same time, however many entries there are. */
export class MemoryMap implements MapEngine {
  readonly #name: string;
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();
  readonly #recency = new RecencyList<Entry>();
  readonly #statistics = noStatistics();
  #sweeper: Iterator<Entry> | undefined;
  #bytes = 0;
  #maxEntries = DEFAULT_MAX_ENTRIES;
  #maxBytes = DEFAULT_MAX_BYTES;
  #isClosed = false;

  constructor(name: string, clock: Clock) {
    this.#name = name;
    this.#clock = clock;
  }

  limit({ maxEntries, maxBytes }: MapLimits): void {
    this.#maxEntries = maxEntries ?? DEFAULT_MAX_ENTRIES;
    this.#maxBytes = maxBytes ?? DEFAULT_MAX_BYTES;
    this.#makeRoom(this.#clock.now());
  }

  async get(key: string): Promise<Payload | undefined> {
    return this.#read(key, this.#now());
  }

  async getMany(keys: readonly string[]): Promise<Array<Payload | undefined>> {
    const now = this.#now();
    return keys.map((key) => this.#read(key, now));
  }

  async set(key: string, payload: Payload, ttlMs: number | undefined): Promise<void> {
    this.#write(key, payload, this.#now(), ttlMs);
  }

  async setMany(
    entries: ReadonlyArray<readonly [string, Payload]>,
    ttlMs: number | undefined,
  ): Promise<void> {
    const now = this.#now();
    for (const [key, payload] of entries) this.#write(key, payload, now, ttlMs);
  }

  async has(key: string): Promise<boolean> {
    const isThere = this.#live(key, this.#now()) !== undefined;
    this.#statistics[isThere ? 'hits' : 'misses']++;
    return isThere;
  }

  async delete(key: string): Promise<boolean> {
    const entry = this.#live(key, this.#now());
    if (!entry) return false;
    this.#remove(entry);
    this.#statistics.removes++;
    return true;
  }

  async increment(key: string, by: number, ttlMs: number | undefined): Promise<Count> {
    const now = this.#now();
    const entry = this.#live(key, now);
    if (!entry) {
      this.#write(key, by, now, ttlMs);
      return { value: by, remainingMs: ttlMs };
    }
    const value = counted(entry.held) + by;
    if (!Number.isSafeInteger(value)) throw new GridRefusal('counter-range');
    entry.held = value;
    this.#recency.touch(entry);
    this.#statistics.puts++;
    const { expiresAtMs } = entry;
    return { value, remainingMs: expiresAtMs === Number.POSITIVE_INFINITY ? undefined : expiresAtMs - now };
  }

  async compareAndSet(
    key: string,
    expected: Payload | undefined,
    next: Payload | undefined,
    ttlMs: number | undefined,
  ): Promise<boolean> {
    const now = this.#now();
    const entry = this.#live(key, now);
    if (!isSame(entry && payloadOf(entry.held), expected)) return false;
    if (next !== undefined) this.#write(key, next, now, ttlMs);
    else if (entry) {
      this.#remove(entry);
      this.#statistics.removes++;
    }
    return true;
  }

  async size(): Promise<number> {
    this.#now();
    this.sweep(LOOKED_OVER_BEFORE_COUNTING);
    return this.#entries.size;
  }

  async clear(): Promise<void> {
    this.#now();
    this.#statistics.removes += this.#entries.size;
    this.#empty();
  }

  async keys(limit: number): Promise<string[]> {
    const now = this.#now();
    return this.#entries
      .values()
      .filter(({ expiresAtMs }) => expiresAtMs > now)
      .take(limit)
      .map(({ key }) => key)
      .toArray();
  }

  metrics(): MapMetrics {
    const { hits, misses, ...rest } = this.#statistics;
    return {
      name: this.#name,
      entries: this.#entries.size,
      hits,
      misses,
      gets: hits + misses,
      ...rest,
      memoryBytes: this.#bytes,
    };
  }

  /** Looks at so many entries, from where it stopped the last time, and forgets those that expired. */
  sweep(count: number): void {
    const now = this.#clock.now();
    for (let looked = 0; looked < count; looked++) {
      this.#sweeper ??= this.#entries.values();
      const { done, value: entry } = this.#sweeper.next();
      if (done) {
        this.#sweeper = undefined;
        return;
      }
      if (entry.expiresAtMs <= now) this.#remove(entry);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#empty();
  }

  #now(): number {
    if (this.#isClosed) throw new GridUnavailable();
    return this.#clock.now();
  }

  #live(key: string, now: number): Entry | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.expiresAtMs > now) return entry;
    this.#remove(entry);
    return undefined;
  }

  #read(key: string, now: number): Payload | undefined {
    const entry = this.#live(key, now);
    if (!entry) {
      this.#statistics.misses++;
      return undefined;
    }
    this.#statistics.hits++;
    this.#recency.touch(entry);
    return payloadOf(entry.held);
  }

  #write(key: string, held: Held, now: number, ttlMs: number | undefined): void {
    this.#statistics.puts++;
    const bytes = ENTRY_OVERHEAD_BYTES + Buffer.byteLength(key) + bytesOf(held);
    const expiresAtMs = ttlMs === undefined ? Number.POSITIVE_INFINITY : now + ttlMs;
    const kept = typeof held === 'object' ? Buffer.from(held) : held;
    const entry = this.#entries.get(key);
    if (entry) {
      this.#bytes += bytes - entry.bytes;
      entry.held = kept;
      entry.bytes = bytes;
      entry.expiresAtMs = expiresAtMs;
      this.#recency.touch(entry);
    } else {
      this.sweep(LOOKED_OVER_BY_A_WRITE);
      const added: Entry = { key, held: kept, bytes, expiresAtMs, older: undefined, newer: undefined };
      this.#entries.set(key, added);
      this.#recency.add(added);
      this.#bytes += bytes;
    }
    this.#makeRoom(now);
  }

  #makeRoom(now: number): void {
    while (this.#entries.size > this.#maxEntries || this.#bytes > this.#maxBytes) {
      const oldest = this.#recency.oldest!;
      this.#remove(oldest);
      if (oldest.expiresAtMs > now) this.#statistics.evictions++;
    }
  }

  #remove(entry: Entry): void {
    this.#entries.delete(entry.key);
    this.#recency.remove(entry);
    this.#bytes -= entry.bytes;
  }

  #empty(): void {
    this.#entries.clear();
    this.#recency.clear();
    this.#sweeper = undefined;
    this.#bytes = 0;
  }
}

function payloadOf(held: Held): Payload {
  return typeof held === 'number' ? String(held) : held;
}

function bytesOf(held: Held): number {
  if (typeof held === 'object') return held.byteLength;
  return typeof held === 'string' ? Buffer.byteLength(held) : String(held).length;
}

function counted(held: Held): number {
  if (typeof held === 'number') return held;
  const number = typeof held === 'string' && WHOLE_NUMBER.test(held) ? Number(held) : Number.NaN;
  if (!Number.isSafeInteger(number)) throw new GridRefusal('not-a-counter');
  return number;
}

function isSame(one: Payload | undefined, other: Payload | undefined): boolean {
  if (typeof one === 'object' && typeof other === 'object') return Buffer.compare(one, other) === 0;
  return one === other;
}
