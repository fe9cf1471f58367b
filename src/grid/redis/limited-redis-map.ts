import type { RedisArgument } from '@redis/client';
import type { Count, MapLimits } from '../contract.ts';
import type { MapEngine, Payload } from '../engine.ts';
import type { MapStatistics } from '../map-statistics.ts';
import { entryPrefix, indexKeys } from './key-names.ts';
import type { RedisConnection } from './redis-connection.ts';
import { asArgument, optionalArgument, type RedisMapOptions, timeArgument } from './redis-map.ts';
import {
  limitedClearScript,
  limitedCompareAndSetScript,
  limitedDeleteScript,
  limitedGetScript,
  limitedIncrementScript,
  limitedListScript,
  limitedSetScript,
  type Script,
} from './scripts.ts';

const CLEARED_AT_ONCE = 1000;

/** A map with a limit: its entries and the index that finds the one to give up live in one slot, changed by scripts. */
export class LimitedRedisMap implements MapEngine {
  readonly #connection: RedisConnection;
  readonly #statistics: MapStatistics;
  readonly #prefix: string;
  readonly #index: readonly string[];
  readonly #limits: readonly [string, string];
  readonly #isBytes: boolean;

  constructor(
    { name, kind, prefix, connection, statistics }: RedisMapOptions,
    { maxEntries, maxBytes }: MapLimits,
  ) {
    this.#connection = connection;
    this.#statistics = statistics;
    this.#prefix = entryPrefix(prefix, name, true);
    this.#index = indexKeys(prefix, name);
    this.#limits = [String(maxEntries ?? ''), String(maxBytes ?? '')];
    this.#isBytes = kind === 'bytes';
  }

  async get(key: string): Promise<Payload | undefined> {
    const found = await this.#run(limitedGetScript, key, [], this.#isBytes);
    this.#statistics[found === null ? 'misses' : 'hits']++;
    return (found as Payload | null) ?? undefined;
  }

  getMany(keys: readonly string[]): Promise<Array<Payload | undefined>> {
    return Promise.all(keys.map((key) => this.get(key)));
  }

  async set(key: string, payload: Payload, ttlMs: number | undefined): Promise<void> {
    const args = [asArgument(payload), timeArgument(ttlMs), ...this.#limits];
    this.#notePut((await this.#run(limitedSetScript, key, args)) as number);
  }

  async setMany(
    entries: ReadonlyArray<readonly [string, Payload]>,
    ttlMs: number | undefined,
  ): Promise<void> {
    await Promise.all(entries.map(([key, payload]) => this.set(key, payload, ttlMs)));
  }

  async has(key: string): Promise<boolean> {
    const entry = this.#prefix + key;
    const isThere = (await this.#connection.send(entry, true, ['EXISTS', entry])) === 1;
    this.#statistics[isThere ? 'hits' : 'misses']++;
    return isThere;
  }

  async delete(key: string): Promise<boolean> {
    const wasThere = (await this.#run(limitedDeleteScript, key, [])) === 1;
    if (wasThere) this.#statistics.removes++;
    return wasThere;
  }

  async increment(key: string, by: number, ttlMs: number | undefined): Promise<Count> {
    const args = [String(by), timeArgument(ttlMs), ...this.#limits];
    const answer = (await this.#run(limitedIncrementScript, key, args)) as [number, number, number];
    const [value, remaining, evicted] = answer;
    this.#notePut(evicted);
    return { value, remainingMs: remaining < 0 ? undefined : remaining };
  }

  async compareAndSet(
    key: string,
    expected: Payload | undefined,
    next: Payload | undefined,
    ttlMs: number | undefined,
  ): Promise<boolean> {
    const args = [
      ...optionalArgument(expected),
      ...optionalArgument(next),
      timeArgument(ttlMs),
      ...this.#limits,
    ];
    const [done, evicted] = (await this.#run(limitedCompareAndSetScript, key, args)) as [number, number];
    if (done === 1 && next !== undefined) this.#notePut(evicted);
    else if (done === 1 && expected !== undefined) this.#statistics.removes++;
    return done === 1;
  }

  async size(): Promise<number> {
    const [count] = (await this.#run(limitedListScript, '', ['0'])) as [string];
    return Number(count);
  }

  async clear(): Promise<void> {
    for (;;) {
      const gone = (await this.#run(limitedClearScript, '', [String(CLEARED_AT_ONCE)])) as number;
      this.#statistics.removes += gone;
      if (gone < CLEARED_AT_ONCE) return;
    }
  }

  async keys(limit: number): Promise<string[]> {
    const [, ...keys] = (await this.#run(limitedListScript, '', [String(limit)])) as string[];
    return keys;
  }

  #run(script: Script, key: string, args: readonly RedisArgument[], answersBytes = false): Promise<unknown> {
    const keys = [this.#prefix + key, ...this.#index];
    return this.#connection.run(script, keys, [key, ...args], answersBytes);
  }

  #notePut(evicted: number): void {
    this.#statistics.puts++;
    this.#statistics.evictions += evicted;
  }
}
