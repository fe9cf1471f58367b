import type { ConnectionPool } from '../diagnostics/connection-registry.ts';
import type { ExecutorPool } from '../diagnostics/executor-pools.ts';
import type { Count, GridCluster, MapLimits, MapMetrics } from './contract.ts';

/** A value as engines keep it: JSON as text, bytes as they are. */
export type Payload = string | Uint8Array;
export type PayloadKind = 'json' | 'bytes';

/** What a driver does. Names, keys, values and times were checked before; reading and writing values is done above it. */
export interface GridEngine {
  map(name: string, kind: PayloadKind, limits: MapLimits): MapEngine;
  ping(): Promise<void>;
  cluster(): Promise<GridCluster>;
  metrics(): Promise<MapMetrics[]>;
  /** For diagnostics, where it has a queue and HTTP connections of its own. */
  usage?(): GridUsage;
  close(): Promise<void>;
}

export interface GridUsage {
  readonly calls: ExecutorPool;
  readonly connections: ConnectionPool;
}

/** `ttlMs` undefined is for ever. */
export interface MapEngine {
  get(key: string): Promise<Payload | undefined>;
  getMany(keys: readonly string[]): Promise<Array<Payload | undefined>>;
  set(key: string, payload: Payload, ttlMs: number | undefined): Promise<void>;
  setMany(entries: ReadonlyArray<readonly [string, Payload]>, ttlMs: number | undefined): Promise<void>;
  has(key: string): Promise<boolean>;
  delete(key: string): Promise<boolean>;
  increment(key: string, by: number, ttlMs: number | undefined): Promise<Count>;
  compareAndSet(
    key: string,
    expected: Payload | undefined,
    next: Payload | undefined,
    ttlMs: number | undefined,
  ): Promise<boolean>;
  size(): Promise<number>;
  clear(): Promise<void>;
  keys(limit: number): Promise<string[]>;
}
