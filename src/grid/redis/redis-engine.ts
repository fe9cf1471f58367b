import type { Log } from '../../kernel/log.ts';
import type { GridCluster, MapLimits, MapMetrics } from '../contract.ts';
import type { GridEngine, MapEngine, PayloadKind } from '../engine.ts';
import { entryPrefix, indexKeys, isLimited, prefixOf } from './key-names.ts';
import { LimitedEntries } from './limited-entries.ts';
import { parseRedisAddress, type RedisAddress } from './redis-address.ts';
import { reportRedisCluster } from './redis-cluster-report.ts';
import { RedisConnection } from './redis-connection.ts';
import type { RedisEntries } from './redis-entries.ts';
import { RedisMap } from './redis-map.ts';
import { reportRedisMetrics } from './redis-metrics.ts';
import { RedisStatistics } from './redis-statistics.ts';
import { SpreadEntries } from './spread-entries.ts';

export interface RedisEngineOptions {
  readonly url: string;
  /** Whose grid it is: environments that share a server do not see each other. */
  readonly namespace: string;
  readonly log: Log;
  /** After which an unanswered call rejects. */
  readonly deadlineMs?: number;
}

const DEFAULT_DEADLINE_MS = 1000;

/** The data grid on Redis or Valkey, one server or a cluster. */
export class RedisEngine implements GridEngine {
  readonly #address: RedisAddress;
  readonly #prefix: string;
  readonly #connection: RedisConnection;
  readonly #statistics: RedisStatistics;

  private constructor(address: RedisAddress, prefix: string, connection: RedisConnection) {
    this.#address = address;
    this.#prefix = prefix;
    this.#connection = connection;
    this.#statistics = new RedisStatistics(connection, prefix);
  }

  /** A server that is away is no error here: it may come, and until then every call rejects. */
  static async open(options: RedisEngineOptions): Promise<RedisEngine> {
    const { url, namespace, log, deadlineMs = DEFAULT_DEADLINE_MS } = options;
    const address = parseRedisAddress(url);
    const connection = await RedisConnection.open({ address, deadlineMs, log });
    return new RedisEngine(address, prefixOf(namespace), connection);
  }

  map(name: string, kind: PayloadKind, limits: MapLimits): MapEngine {
    const entries = this.#entries(name, kind === 'bytes', limits);
    return new RedisMap(this.#connection, entries, this.#statistics.of(name));
  }

  /** Every primary must answer: each holds a part of every map. */
  async ping(): Promise<void> {
    const nodes = await this.#connection.primaries();
    await Promise.all(nodes.map((node) => node.send(['PING'])));
  }

  cluster(): Promise<GridCluster> {
    return reportRedisCluster(this.#connection, this.#address);
  }

  metrics(): Promise<MapMetrics[]> {
    return reportRedisMetrics(this.#connection, this.#statistics, this.#prefix);
  }

  async close(): Promise<void> {
    await this.#statistics.close();
    this.#connection.close();
  }

  #entries(map: string, isBytes: boolean, limits: MapLimits): RedisEntries {
    const connection = this.#connection;
    const prefix = entryPrefix(this.#prefix, map, isLimited(limits));
    if (!isLimited(limits)) return new SpreadEntries(connection, prefix, isBytes);
    return new LimitedEntries({ connection, prefix, index: indexKeys(this.#prefix, map), limits, isBytes });
  }
}
