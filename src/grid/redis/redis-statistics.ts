import { type MapStatistics, noStatistics } from '../map-statistics.ts';
import type { RedisConnection } from './redis-connection.ts';

const TELL_EVERY_MS = 1000;
const NAMES = Object.keys(noStatistics()) as Array<keyof MapStatistics>;

/**
 * Every process counts for itself and adds its counts to a hash on the server once in a while, so that everybody sees
 * the counts of all, and no call pays for being counted.
 */
export class RedisStatistics {
  readonly #connection: RedisConnection;
  readonly #key: string;
  readonly #untold = new Map<string, MapStatistics>();
  readonly #timer: NodeJS.Timeout;

  constructor(connection: RedisConnection, prefix: string) {
    this.#connection = connection;
    this.#key = `${prefix}statistics`;
    this.#timer = setInterval(() => this.tell().catch(() => undefined), TELL_EVERY_MS);
    this.#timer.unref();
  }

  /** The counts of one map since they were last told; to be added to. */
  of(map: string): MapStatistics {
    const known = this.#untold.get(map);
    if (known) return known;
    const fresh = noStatistics();
    this.#untold.set(map, fresh);
    return fresh;
  }

  /** Counts that could not be told are told the next time. */
  async tell(): Promise<void> {
    const told: Array<Promise<unknown>> = [];
    for (const [map, counts] of this.#untold) {
      for (const name of NAMES) {
        const count = counts[name];
        if (count === 0) continue;
        counts[name] = 0;
        const args = ['HINCRBY', this.#key, `${map}|${name}`, String(count)];
        told.push(
          this.#connection.send(this.#key, false, args).catch((error) => {
            counts[name] += count;
            throw error;
          }),
        );
      }
    }
    await Promise.all(told);
  }

  /** What all processes told, by map. */
  async all(): Promise<Map<string, MapStatistics>> {
    const found = (await this.#connection.send(this.#key, true, ['HGETALL', this.#key])) as
      | string[]
      | Record<string, string>;
    const pairs = Array.isArray(found) ? pairsOf(found) : Object.entries(found);
    const all = new Map<string, MapStatistics>();
    for (const [field, count] of pairs) {
      const [map, name] = field.split('|') as [string, keyof MapStatistics];
      if (!all.has(map)) all.set(map, noStatistics());
      all.get(map)![name] = Number(count);
    }
    return all;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.tell().catch(() => undefined);
  }
}

function pairsOf(flat: readonly string[]): Array<[string, string]> {
  return Array.from({ length: flat.length / 2 }, (_, index) => [flat[index * 2]!, flat[index * 2 + 1]!]);
}
