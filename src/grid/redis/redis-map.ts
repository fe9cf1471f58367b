import type { Count } from '../contract.ts';
import type { MapEngine, Payload } from '../engine.ts';
import type { MapStatistics } from '../map-statistics.ts';
import type { RedisConnection } from './redis-connection.ts';
import type { Evicted, RedisEntries } from './redis-entries.ts';

/** A map on Redis: reads what the server says of its entries, and counts. */
export class RedisMap implements MapEngine {
  readonly #connection: RedisConnection;
  readonly #entries: RedisEntries;
  readonly #statistics: MapStatistics;

  constructor(connection: RedisConnection, entries: RedisEntries, statistics: MapStatistics) {
    this.#connection = connection;
    this.#entries = entries;
    this.#statistics = statistics;
  }

  /** Reading and writing are on the path of every request: `then` with a function that is there costs less than `await`. */
  get(key: string): Promise<Payload | undefined> {
    return this.#entries.find(key).then(this.#noteRead);
  }

  /** Sent together, also where the keys live on different nodes. */
  getMany(keys: readonly string[]): Promise<Array<Payload | undefined>> {
    return Promise.all(keys.map((key) => this.get(key)));
  }

  set(key: string, payload: Payload, ttlMs: number | undefined): Promise<void> {
    return this.#entries.store(key, payload, ttlMs).then(this.#notePut);
  }

  async setMany(
    entries: ReadonlyArray<readonly [string, Payload]>,
    ttlMs: number | undefined,
  ): Promise<void> {
    await Promise.all(entries.map(([key, payload]) => this.set(key, payload, ttlMs)));
  }

  async has(key: string): Promise<boolean> {
    const entry = this.#entries.prefix + key;
    const isThere = (await this.#connection.send(entry, true, ['EXISTS', entry])) === 1;
    this.#statistics[isThere ? 'hits' : 'misses']++;
    return isThere;
  }

  async delete(key: string): Promise<boolean> {
    const wasThere = (await this.#entries.remove(key)) === 1;
    if (wasThere) this.#statistics.removes++;
    return wasThere;
  }

  async increment(key: string, by: number, ttlMs: number | undefined): Promise<Count> {
    const [value, remaining, evicted] = await this.#entries.add(key, by, ttlMs);
    this.#notePut(evicted);
    return { value, remainingMs: remaining < 0 ? undefined : remaining };
  }

  async compareAndSet(
    key: string,
    expected: Payload | undefined,
    next: Payload | undefined,
    ttlMs: number | undefined,
  ): Promise<boolean> {
    const [done, evicted] = await this.#entries.swap(key, expected, next, ttlMs);
    if (done === 1 && next !== undefined) this.#notePut(evicted);
    else if (done === 1 && expected !== undefined) this.#statistics.removes++;
    return done === 1;
  }

  size(): Promise<number> {
    return this.#entries.count();
  }

  keys(limit: number): Promise<string[]> {
    return this.#entries.list(limit);
  }

  async clear(): Promise<void> {
    for await (const gone of this.#entries.clear()) this.#statistics.removes += gone;
  }

  readonly #noteRead = (found: unknown): Payload | undefined => {
    this.#statistics[found === null ? 'misses' : 'hits']++;
    return (found as Payload | null) ?? undefined;
  };

  readonly #notePut = (evicted: Evicted | undefined): void => {
    this.#statistics.puts++;
    if (typeof evicted === 'number') this.#statistics.evictions += evicted;
  };
}
