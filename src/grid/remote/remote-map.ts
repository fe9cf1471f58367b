import type { Count } from '../contract.ts';
import type { MapEngine, Payload } from '../engine.ts';
import type { OperationBatcher } from './operation-batcher.ts';
import { fromWire, toWire, type WireMap, type WireOperation } from './wire.ts';

/** A map that a Cache pod holds. */
export class RemoteMap implements MapEngine {
  readonly #name: string;
  readonly #map: WireMap;
  readonly #batcher: OperationBatcher;

  constructor(name: string, map: WireMap, batcher: OperationBatcher) {
    this.#name = name;
    this.#map = map;
    this.#batcher = batcher;
  }

  async get(key: string): Promise<Payload | undefined> {
    const found = await this.#run({ op: 'get', key });
    return found === undefined ? undefined : fromWire(String(found), this.#map.kind);
  }

  getMany(keys: readonly string[]): Promise<Array<Payload | undefined>> {
    return Promise.all(keys.map((key) => this.get(key)));
  }

  async set(key: string, payload: Payload, ttlMs: number | undefined): Promise<void> {
    await this.#run({ op: 'set', key, value: toWire(payload), ...(ttlMs !== undefined && { ttlMs }) });
  }

  async setMany(
    entries: ReadonlyArray<readonly [string, Payload]>,
    ttlMs: number | undefined,
  ): Promise<void> {
    await Promise.all(entries.map(([key, payload]) => this.set(key, payload, ttlMs)));
  }

  async has(key: string): Promise<boolean> {
    return (await this.#run({ op: 'has', key })) === true;
  }

  async delete(key: string): Promise<boolean> {
    return (await this.#run({ op: 'delete', key })) === true;
  }

  async increment(key: string, by: number, ttlMs: number | undefined): Promise<Count> {
    const count = await this.#run({ op: 'increment', key, by, ...(ttlMs !== undefined && { ttlMs }) });
    const { value, remainingMs } = count as Count;
    return { value, remainingMs };
  }

  async compareAndSet(
    key: string,
    expected: Payload | undefined,
    next: Payload | undefined,
    ttlMs: number | undefined,
  ): Promise<boolean> {
    const isDone = await this.#run({
      op: 'compareAndSet',
      key,
      ...(expected !== undefined && { expected: toWire(expected) }),
      ...(next !== undefined && { value: toWire(next) }),
      ...(ttlMs !== undefined && { ttlMs }),
    });
    return isDone === true;
  }

  async size(): Promise<number> {
    return Number(await this.#run({ op: 'size' }));
  }

  async clear(): Promise<void> {
    await this.#run({ op: 'clear' });
  }

  async keys(limit: number): Promise<string[]> {
    return (await this.#run({ op: 'keys', limit })) as string[];
  }

  #run(operation: Omit<WireOperation, 'map'>): Promise<unknown> {
    return this.#batcher.run({ ...operation, map: this.#name }, this.#map);
  }
}
