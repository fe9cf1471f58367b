import type { RedisArgument } from '@redis/client';
import type { Payload } from '../engine.ts';

/** Where the entries of a map live. It answers in the server's words; `ttlMs` undefined is for ever. */
export interface RedisEntries {
  /** The beginning of the names of all entries. */
  readonly prefix: string;
  /** The payload, or null. */
  find(key: string): Promise<unknown>;
  store(key: string, payload: Payload, ttlMs: number | undefined): Promise<Evicted>;
  /** How many there were. */
  remove(key: string): Promise<unknown>;
  /** The value now, and how many milliseconds it has left: -1 is for ever. */
  add(
    key: string,
    by: number,
    ttlMs: number | undefined,
  ): Promise<readonly [value: number, remaining: number, evicted?: number]>;
  /** Puts `next` in the place of `expected`; undefined is no entry. */
  swap(
    key: string,
    expected: Payload | undefined,
    next: Payload | undefined,
    ttlMs: number | undefined,
  ): Promise<readonly [done: number, evicted?: number]>;
  count(): Promise<number>;
  list(limit: number): Promise<string[]>;
  /** Takes all of them away, and tells again and again how many went. */
  clear(): AsyncIterable<number>;
}

/** How many entries had to go for another one; a server that finds room by itself just says OK. */
export type Evicted = number | 'OK';

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
