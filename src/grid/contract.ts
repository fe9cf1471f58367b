/**
 * The data grid as policies and jobs see it: named maps whose entries may expire, counters, compare-and-set and locks
 * with a lease. In-process memory, Redis/Valkey and the Cache's own API all pass the same suite.
 * Nothing here waits without end: an engine that is away rejects with GridUnavailable within its deadline.
 */
export interface Grid {
  /** Values are JSON; what comes back is a copy. The same name is the same map everywhere in the environment. */
  map<Value>(name: string, options?: MapOptions): GridMap<Value>;
  /** Values are bytes, for answers that are kept. What comes back must not be written to. */
  byteMap(name: string, options?: MapOptions): GridMap<Uint8Array>;
  /** Resolves with undefined while somebody else holds the lock. It frees itself when the lease ends. */
  lock(name: string, leaseMs: number): Promise<GridLock | undefined>;
  /** Rejects with GridUnavailable when the engine does not answer. */
  ping(): Promise<void>;
  /** Who holds the data. */
  cluster(): Promise<GridCluster>;
  /** Of every map that anybody used, by name. */
  metrics(): Promise<MapMetrics[]>;
  /** From then on every call rejects with GridUnavailable. */
  close(): Promise<void>;
}

export interface MapOptions extends MapLimits {
  /** How long an entry lives unless its writer says otherwise; for ever unless given. */
  readonly ttlMs?: number;
}

/**
 * When a limit is passed, entries go that were not used for the longest time. Without any limit the engine's own holds.
 * Whoever uses a map names the same limits: a map is defined in one place.
 */
export interface MapLimits {
  readonly maxEntries?: number;
  /** Of keys and values together, with `ENTRY_OVERHEAD_BYTES` for each entry. */
  readonly maxBytes?: number;
}

export interface WriteOptions {
  readonly ttlMs?: number;
}

export interface GridMap<Value> {
  readonly name: string;
  get(key: string): Promise<Value | undefined>;
  /** In the order of the keys, in one round trip where there is one. */
  getMany(keys: readonly string[]): Promise<Array<Value | undefined>>;
  set(key: string, value: Value, options?: WriteOptions): Promise<void>;
  /** Each entry is written whole, all of them not at one moment. */
  setMany(entries: Iterable<readonly [key: string, value: Value]>, options?: WriteOptions): Promise<void>;
  has(key: string): Promise<boolean>;
  /** Resolves with whether there was an entry. */
  delete(key: string): Promise<boolean>;
  /**
   * Adds to a whole number, in one step that nobody can come between. A key that is not there begins at 0 and expires
   * after `ttlMs`; later increments leave the expiry as it is, so that the time is a fixed window.
   */
  increment(key: string, by?: number, options?: WriteOptions): Promise<Count>;
  /**
   * Writes `next` only where the entry still holds `expected`, in one step. Undefined is "no entry" on both sides: the
   * first writer wins with `expected` undefined, and `next` undefined removes. Values are equal when their JSON is.
   */
  compareAndSet(
    key: string,
    expected: Value | undefined,
    next: Value | undefined,
    options?: WriteOptions,
  ): Promise<boolean>;
  size(): Promise<number>;
  clear(): Promise<void>;
  /** In no order; at most `limit`, which is 1000 unless given, and never more than `MOST_KEYS`. */
  keys(limit?: number): Promise<string[]>;
}

export interface Count {
  readonly value: number;
  /** Until it expires; undefined when it never does. */
  readonly remainingMs: number | undefined;
}

/** Held until it is released or its lease ends. Only the holder can renew or release it. */
export interface GridLock {
  /** Who holds it: random, so that nobody else can name it. */
  readonly token: string;
  /** A new lease from now on. False when the lease had ended: the lock may be another's already. */
  renew(leaseMs?: number): Promise<boolean>;
  /** False when the lease had ended before. */
  release(): Promise<boolean>;
}

export interface GridCluster {
  readonly engine: 'memory' | 'redis' | 'redis-cluster';
  readonly state: 'ok' | 'degraded';
  readonly members: readonly GridMember[];
}

export interface GridMember {
  readonly address: string;
  readonly role: 'owner' | 'standby' | 'primary' | 'replica';
  /** Whether it is the process that answers. */
  readonly local: boolean;
}

/** Counted since the engine started, by all who use the map. */
export interface MapMetrics {
  readonly name: string;
  readonly entries: number;
  readonly hits: number;
  readonly misses: number;
  readonly gets: number;
  readonly puts: number;
  readonly removes: number;
  /** Entries that went for want of room; expired ones are not among them. */
  readonly evictions: number;
  readonly memoryBytes: number;
}

export const MAX_KEY_BYTES = 1024;
export const MOST_KEYS = 10_000;
export const MAX_NAME_LENGTH = 64;
export const DEFAULT_MAX_VALUE_BYTES = 1024 * 1024;
export const ENTRY_OVERHEAD_BYTES = 64;

/** The engine is away or did not answer in time. Whether a change was made is not known. */
export class GridUnavailable extends Error {
  constructor(options?: ErrorOptions) {
    super('the data grid does not answer', options);
    this.name = 'GridUnavailable';
  }
}

const refusals = {
  'name-invalid': `a map is named by 1 to ${MAX_NAME_LENGTH} letters, digits, '.', '_' and '-'`,
  'key-invalid': `a key is well-formed text of 1 to ${MAX_KEY_BYTES} bytes`,
  'value-invalid': 'a value must be one that JSON can hold',
  'value-too-large': 'the value is larger than the data grid takes',
  'number-invalid': 'times, limits and steps are whole numbers, times and limits above 0',
  'not-a-counter': 'the entry does not hold a whole number',
  'counter-range': 'the counter would leave the range of whole numbers',
  'too-many-maps': 'the data grid holds no more maps',
} as const;
export type GridRefusalReason = keyof typeof refusals;

/** A call that can never succeed: a mistake of the caller. */
export class GridRefusal extends Error {
  readonly reason: GridRefusalReason;

  constructor(reason: GridRefusalReason) {
    super(refusals[reason]);
    this.name = 'GridRefusal';
    this.reason = reason;
  }
}

export function isGridRefusalReason(reason: string): reason is GridRefusalReason {
  return Object.hasOwn(refusals, reason);
}
