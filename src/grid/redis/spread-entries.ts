import type { RedisArgument } from '@redis/client';
import type { Payload } from '../engine.ts';
import type { RedisConnection } from './redis-connection.ts';
import { asArgument, optionalArgument, type RedisEntries, timeArgument } from './redis-entries.ts';
import { compareAndSetScript, incrementScript } from './scripts.ts';
import { walkKeys } from './walk-keys.ts';

/** Of a map without a limit: every entry is a key of the server, in any slot, and the server finds room for it. */
export class SpreadEntries implements RedisEntries {
  readonly prefix: string;
  readonly #connection: RedisConnection;
  readonly #isBytes: boolean;

  constructor(connection: RedisConnection, prefix: string, isBytes: boolean) {
    this.#connection = connection;
    this.prefix = prefix;
    this.#isBytes = isBytes;
  }

  find(key: string): Promise<unknown> {
    const entry = this.prefix + key;
    return this.#connection.send(entry, true, ['GET', entry], this.#isBytes);
  }

  store(key: string, payload: Payload, ttlMs: number | undefined): Promise<'OK'> {
    const entry = this.prefix + key;
    const args: RedisArgument[] = ['SET', entry, asArgument(payload)];
    if (ttlMs !== undefined) args.push('PX', String(ttlMs));
    return this.#connection.send(entry, false, args) as Promise<'OK'>;
  }

  remove(key: string): Promise<unknown> {
    const entry = this.prefix + key;
    return this.#connection.send(entry, false, ['UNLINK', entry]);
  }

  add(key: string, by: number, ttlMs: number | undefined): Promise<[value: number, remaining: number]> {
    const args = [String(by), timeArgument(ttlMs)];
    return this.#connection.run(incrementScript, [this.prefix + key], args) as Promise<[number, number]>;
  }

  swap(
    key: string,
    expected: Payload | undefined,
    next: Payload | undefined,
    ttlMs: number | undefined,
  ): Promise<[done: number]> {
    const args = [...optionalArgument(expected), ...optionalArgument(next), timeArgument(ttlMs)];
    return this.#connection.run(compareAndSetScript, [this.prefix + key], args) as Promise<[number]>;
  }

  /** The server may show a key more than once while it is walked. */
  async count(): Promise<number> {
    const seen = new Set<string>();
    for await (const names of this.#walk()) for (const name of names) seen.add(name);
    return seen.size;
  }

  async list(limit: number): Promise<string[]> {
    const seen = new Set<string>();
    for await (const names of this.#walk()) {
      for (const name of names) {
        if (seen.size < limit) seen.add(name.slice(this.prefix.length));
      }
      if (seen.size >= limit) break;
    }
    return [...seen];
  }

  async *clear(): AsyncGenerator<number> {
    for await (const names of this.#walk()) {
      const gone = await Promise.all(
        names.map((name) => this.#connection.send(name, false, ['UNLINK', name])),
      );
      yield gone.filter((count) => count === 1).length;
    }
  }

  #walk() {
    return walkKeys(this.#connection, this.prefix);
  }
}
