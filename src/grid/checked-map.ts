import {
  type Count,
  type GridMap,
  GridRefusal,
  MAX_KEY_BYTES,
  type MapOptions,
  MOST_KEYS,
  type WriteOptions,
} from './contract.ts';
import type { MapEngine, Payload } from './engine.ts';
import type { ValueCodec } from './value-codecs.ts';

const DEFAULT_KEY_LIMIT = 1000;
/** UTF-8 needs at most three bytes for a UTF-16 code unit, so that shorter keys need not be measured. */
const SURELY_SHORT_ENOUGH = Math.floor(MAX_KEY_BYTES / 3);

/** One map as its users see it: looks at what it is given, turns values into payloads and back. */
export class CheckedMap<Value> implements GridMap<Value> {
  readonly name: string;
  readonly #engine: MapEngine;
  readonly #codec: ValueCodec<Value>;
  readonly #ttlMs: number | undefined;

  constructor(name: string, engine: MapEngine, codec: ValueCodec<Value>, { ttlMs }: MapOptions) {
    this.name = name;
    this.#engine = engine;
    this.#codec = codec;
    this.#ttlMs = ttlMs === undefined ? undefined : positive(ttlMs);
  }

  get(key: string): Promise<Value | undefined> {
    return orReject(() => {
      checkKey(key);
      return this.#engine.get(key).then(this.#decode);
    });
  }

  async getMany(keys: readonly string[]): Promise<Array<Value | undefined>> {
    keys.forEach(checkKey);
    const payloads = await this.#engine.getMany(keys);
    return payloads.map(this.#decode);
  }

  set(key: string, value: Value, options?: WriteOptions): Promise<void> {
    return orReject(() => {
      checkKey(key);
      return this.#engine.set(key, this.#codec.encode(value), this.#ttlOf(options));
    });
  }

  setMany(entries: Iterable<readonly [key: string, value: Value]>, options?: WriteOptions): Promise<void> {
    return orReject(() => {
      const encoded = Array.from(entries, ([key, value]) => {
        checkKey(key);
        return [key, this.#codec.encode(value)] as const;
      });
      return this.#engine.setMany(encoded, this.#ttlOf(options));
    });
  }

  has(key: string): Promise<boolean> {
    return orReject(() => {
      checkKey(key);
      return this.#engine.has(key);
    });
  }

  delete(key: string): Promise<boolean> {
    return orReject(() => {
      checkKey(key);
      return this.#engine.delete(key);
    });
  }

  increment(key: string, by = 1, options?: WriteOptions): Promise<Count> {
    return orReject(() => {
      checkKey(key);
      if (!Number.isSafeInteger(by)) throw new GridRefusal('number-invalid');
      return this.#engine.increment(key, by, this.#ttlOf(options));
    });
  }

  compareAndSet(
    key: string,
    expected: Value | undefined,
    next: Value | undefined,
    options?: WriteOptions,
  ): Promise<boolean> {
    const encode = (value: Value | undefined) =>
      value === undefined ? undefined : this.#codec.encode(value);
    return orReject(() => {
      checkKey(key);
      return this.#engine.compareAndSet(key, encode(expected), encode(next), this.#ttlOf(options));
    });
  }

  size(): Promise<number> {
    return this.#engine.size();
  }

  clear(): Promise<void> {
    return this.#engine.clear();
  }

  keys(limit = DEFAULT_KEY_LIMIT): Promise<string[]> {
    return orReject(() => this.#engine.keys(Math.min(positive(limit), MOST_KEYS)));
  }

  readonly #decode = (payload: Payload | undefined): Value | undefined =>
    payload === undefined ? undefined : this.#codec.decode(payload);

  #ttlOf(options: WriteOptions | undefined): number | undefined {
    return options?.ttlMs === undefined ? this.#ttlMs : positive(options.ttlMs);
  }
}

/** As an async function would, without another promise around the engine's: this is on the path of every request. */
function orReject<Result>(act: () => Promise<Result>): Promise<Result> {
  try {
    return act();
  } catch (error) {
    return Promise.reject(error);
  }
}

export function checkKey(key: string): void {
  const { length } = key;
  if (
    length === 0 ||
    (length > SURELY_SHORT_ENOUGH && Buffer.byteLength(key) > MAX_KEY_BYTES) ||
    !key.isWellFormed()
  )
    throw new GridRefusal('key-invalid');
}

export function positive(value: number): number {
  if (!Number.isSafeInteger(value) || value <= 0) throw new GridRefusal('number-invalid');
  return value;
}
