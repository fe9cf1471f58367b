import type { RedisArgument } from '@redis/client';
import type { MapLimits } from '../contract.ts';
import type { Payload } from '../engine.ts';
import type { RedisConnection } from './redis-connection.ts';
import { asArgument, optionalArgument, type RedisEntries, timeArgument } from './redis-entries.ts';
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

export interface LimitedEntriesOptions {
  readonly connection: RedisConnection;
  readonly prefix: string;
  /** Names of the keys that say what was used when, what expires when, and how large it is. */
  readonly index: readonly string[];
  readonly limits: MapLimits;
  readonly isBytes: boolean;
}

/** Of a map with a limit: they and the index that finds the one to give up live in one slot, changed by scripts. */
export class LimitedEntries implements RedisEntries {
  readonly prefix: string;
  readonly #connection: RedisConnection;
  readonly #index: readonly string[];
  readonly #limits: readonly [string, string];
  readonly #isBytes: boolean;

  constructor({ connection, prefix, index, limits, isBytes }: LimitedEntriesOptions) {
    this.#connection = connection;
    this.prefix = prefix;
    this.#index = index;
    this.#limits = [String(limits.maxEntries ?? ''), String(limits.maxBytes ?? '')];
    this.#isBytes = isBytes;
  }

  find(key: string): Promise<unknown> {
    return this.#run(limitedGetScript, key, [], this.#isBytes);
  }

  store(key: string, payload: Payload, ttlMs: number | undefined): Promise<number> {
    return this.#run(limitedSetScript, key, [asArgument(payload), timeArgument(ttlMs), ...this.#limits]);
  }

  remove(key: string): Promise<unknown> {
    return this.#run(limitedDeleteScript, key, []);
  }

  add(
    key: string,
    by: number,
    ttlMs: number | undefined,
  ): Promise<[value: number, remaining: number, evicted: number]> {
    return this.#run(limitedIncrementScript, key, [String(by), timeArgument(ttlMs), ...this.#limits]);
  }

  swap(
    key: string,
    expected: Payload | undefined,
    next: Payload | undefined,
    ttlMs: number | undefined,
  ): Promise<[done: number, evicted: number]> {
    const change = [...optionalArgument(expected), ...optionalArgument(next), timeArgument(ttlMs)];
    return this.#run(limitedCompareAndSetScript, key, [...change, ...this.#limits]);
  }

  async count(): Promise<number> {
    const [count] = await this.#run<[string]>(limitedListScript, '', ['0']);
    return Number(count);
  }

  async list(limit: number): Promise<string[]> {
    const [, ...keys] = await this.#run<string[]>(limitedListScript, '', [String(limit)]);
    return keys;
  }

  async *clear(): AsyncGenerator<number> {
    for (;;) {
      const gone = await this.#run<number>(limitedClearScript, '', [String(CLEARED_AT_ONCE)]);
      yield gone;
      if (gone < CLEARED_AT_ONCE) return;
    }
  }

  #run<Answer>(
    script: Script,
    key: string,
    args: readonly RedisArgument[],
    answersBytes = false,
  ): Promise<Answer> {
    const names = [this.prefix + key, ...this.#index];
    return this.#connection.run(script, names, [key, ...args], answersBytes) as Promise<Answer>;
  }
}
