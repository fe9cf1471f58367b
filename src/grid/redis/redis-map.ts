import type { RedisArgument } from '@redis/client';
import type { Count } from '../contract.ts';
import type { MapEngine, Payload, PayloadKind } from '../engine.ts';
import type { MapStatistics } from '../map-statistics.ts';
import { entryPrefix } from './key-names.ts';
import type { RedisConnection } from './redis-connection.ts';
import { compareAndSetScript, incrementScript } from './scripts.ts';
import { walkKeys } from './walk-keys.ts';

export interface RedisMapOptions {
  readonly name: string;
  readonly kind: PayloadKind;
  /** Of all keys of the environment. */
  readonly prefix: string;
  readonly connection: RedisConnection;
  readonly statistics: MapStatistics;
}

/** A map without a limit: every entry is a key of the server, which also lets it expire and finds room for it. */
export class RedisMap implements MapEngine {
  readonly #connection: RedisConnection;
  readonly #statistics: MapStatistics;
  readonly #prefix: string;
  readonly #isBytes: boolean;

  constructor({ name, kind, prefix, connection, statistics }: RedisMapOptions) {
    this.#connection = connection;
    this.#statistics = statistics;
    this.#prefix = entryPrefix(prefix, name, false);
    this.#isBytes = kind === 'bytes';
  }

  async get(key: string): Promise<Payload | undefined> {
    const entry = this.#prefix + key;
    const found = await this.#connection.send(entry, true, ['GET', entry], this.#isBytes);
    this.#statistics[found === null ? 'misses' : 'hits']++;
    return (found as Payload | null) ?? undefined;
  }

  /** Sent together, also where the keys live on different nodes. */
  getMany(keys: readonly string[]): Promise<Array<Payload | undefined>> {
    return Promise.all(keys.map((key) => this.get(key)));
  }

  async set(key: string, payload: Payload, ttlMs: number | undefined): Promise<void> {
    const entry = this.#prefix + key;
    const args: RedisArgument[] = ['SET', entry, asArgument(payload)];
    if (ttlMs !== undefined) args.push('PX', String(ttlMs));
    await this.#connection.send(entry, false, args);
    this.#statistics.puts++;
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
    const entry = this.#prefix + key;
    const wasThere = (await this.#connection.send(entry, false, ['UNLINK', entry])) === 1;
    if (wasThere) this.#statistics.removes++;
    return wasThere;
  }

  async increment(key: string, by: number, ttlMs: number | undefined): Promise<Count> {
    const args = [String(by), timeArgument(ttlMs)];
    const [value, remaining] = (await this.#connection.run(incrementScript, [this.#prefix + key], args)) as [
      number,
      number,
    ];
    this.#statistics.puts++;
    return { value, remainingMs: remaining < 0 ? undefined : remaining };
  }

  async compareAndSet(
    key: string,
    expected: Payload | undefined,
    next: Payload | undefined,
    ttlMs: number | undefined,
  ): Promise<boolean> {
    const args = [...optionalArgument(expected), ...optionalArgument(next), timeArgument(ttlMs)];
    const isDone = (await this.#connection.run(compareAndSetScript, [this.#prefix + key], args)) === 1;
    if (isDone && next !== undefined) this.#statistics.puts++;
    else if (isDone && expected !== undefined) this.#statistics.removes++;
    return isDone;
  }

  async size(): Promise<number> {
    const seen = new Set<string>();
    for await (const keys of walkKeys(this.#connection, this.#prefix)) for (const key of keys) seen.add(key);
    return seen.size;
  }

  async clear(): Promise<void> {
    for await (const keys of walkKeys(this.#connection, this.#prefix)) {
      const gone = await Promise.all(keys.map((key) => this.#connection.send(key, false, ['UNLINK', key])));
      this.#statistics.removes += gone.filter((count) => count === 1).length;
    }
  }

  async keys(limit: number): Promise<string[]> {
    const seen = new Set<string>();
    for await (const keys of walkKeys(this.#connection, this.#prefix)) {
      for (const key of keys) {
        if (seen.size < limit) seen.add(key.slice(this.#prefix.length));
      }
      if (seen.size >= limit) break;
    }
    return [...seen];
  }
}

export function asArgument(payload: Payload): RedisArgument {
  if (typeof payload === 'string' || Buffer.isBuffer(payload)) return payload;
  return Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
}

/** Whether there is one, and which. */
export function optionalArgument(payload: Payload | undefined): [RedisArgument, RedisArgument] {
  return payload === undefined ? ['0', ''] : ['1', asArgument(payload)];
}

export function timeArgument(ms: number | undefined): string {
  return ms === undefined ? '' : String(ms);
}
