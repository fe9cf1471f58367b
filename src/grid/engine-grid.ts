import { type Random, systemRandom } from '../kernel/random.ts';
import { CheckedMap, positive } from './checked-map.ts';
import {
  DEFAULT_MAX_VALUE_BYTES,
  type Grid,
  type GridCluster,
  type GridLock,
  type GridMap,
  GridRefusal,
  MAX_NAME_LENGTH,
  type MapMetrics,
  type MapOptions,
} from './contract.ts';
import type { GridEngine, GridUsage } from './engine.ts';
import { acquireLock } from './grid-lock.ts';
import { byteCodec, jsonCodec, type ValueCodec } from './value-codecs.ts';

export interface EngineGridOptions {
  readonly maxValueBytes?: number;
  readonly random?: Random;
}

/** Locks are entries like others, in a map of their own. */
const LOCK_MAP = 'locks';
const NAME = new RegExp(`^[A-Za-z0-9._-]{1,${MAX_NAME_LENGTH}}$`);

/** The grid on any engine. */
export class EngineGrid implements Grid {
  readonly #engine: GridEngine;
  readonly #maxValueBytes: number;
  readonly #random: Random;
  #locks: GridMap<string> | undefined;

  constructor(engine: GridEngine, options: EngineGridOptions = {}) {
    this.#engine = engine;
    this.#maxValueBytes = options.maxValueBytes ?? DEFAULT_MAX_VALUE_BYTES;
    this.#random = options.random ?? systemRandom;
  }

  map<Value>(name: string, options: MapOptions = {}): GridMap<Value> {
    return this.#open(name, jsonCodec<Value>(this.#maxValueBytes), options);
  }

  byteMap(name: string, options: MapOptions = {}): GridMap<Uint8Array> {
    return this.#open(name, byteCodec(this.#maxValueBytes), options);
  }

  async lock(name: string, leaseMs: number): Promise<GridLock | undefined> {
    this.#locks ??= this.map<string>(LOCK_MAP);
    return acquireLock(this.#locks, name, this.#random.uuid(), positive(leaseMs));
  }

  ping(): Promise<void> {
    return this.#engine.ping();
  }

  cluster(): Promise<GridCluster> {
    return this.#engine.cluster();
  }

  async metrics(): Promise<MapMetrics[]> {
    const metrics = await this.#engine.metrics();
    return metrics.sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  usage(): GridUsage | undefined {
    return this.#engine.usage?.();
  }

  close(): Promise<void> {
    return this.#engine.close();
  }

  #open<Value>(name: string, codec: ValueCodec<Value>, options: MapOptions): GridMap<Value> {
    checkName(name);
    const { maxEntries, maxBytes } = options;
    for (const limit of [maxEntries, maxBytes]) if (limit !== undefined) positive(limit);
    const limits = {
      ...(maxEntries !== undefined && { maxEntries }),
      ...(maxBytes !== undefined && { maxBytes }),
    };
    return new CheckedMap(name, this.#engine.map(name, codec.kind, limits), codec, options);
  }
}

export function checkName(name: string): void {
  if (!NAME.test(name)) throw new GridRefusal('name-invalid');
}
