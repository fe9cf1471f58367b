import type { MapMetrics } from '../contract.ts';
import { noStatistics } from '../map-statistics.ts';
import { indexKeys, placeOf } from './key-names.ts';
import type { RedisConnection } from './redis-connection.ts';
import type { RedisStatistics } from './redis-statistics.ts';
import { walkKeys } from './walk-keys.ts';

/** The memory of a map is measured on so many of its entries, and taken for all. */
const MOST_MEASURED = 50;

/** A report does not wait for the end of a very long walk: it tells what was counted until then. */
const LONGEST_COUNT_MS = 2500;

interface Found {
  entries: number;
  readonly sample: string[];
  hasIndex: boolean;
}

/** Counts from all processes; entries and memory from one walk over the keys of the environment. */
export async function reportRedisMetrics(
  connection: RedisConnection,
  statistics: RedisStatistics,
  prefix: string,
): Promise<MapMetrics[]> {
  await statistics.tell();
  const [counts, found] = await Promise.all([statistics.all(), countEntries(connection, prefix)]);
  const names = new Set([...counts.keys(), ...found.keys()]);
  return Promise.all(
    Array.from(names, async (name) => {
      const { hits, misses, ...rest } = counts.get(name) ?? noStatistics();
      const { entries, sample, hasIndex } = found.get(name) ?? nothingFound();
      const measured = hasIndex ? [...sample, ...indexKeys(prefix, name)] : sample;
      const sizes = await Promise.all(measured.map((key) => memoryOf(connection, key)));
      const perEntry = sum(sizes.slice(0, sample.length)) / Math.max(sample.length, 1);
      const memoryBytes = Math.round(perEntry * entries + sum(sizes.slice(sample.length)));
      return { name, entries, hits, misses, gets: hits + misses, ...rest, memoryBytes };
    }),
  );
}

async function countEntries(connection: RedisConnection, prefix: string): Promise<Map<string, Found>> {
  const found = new Map<string, Found>();
  const endsAtMs = performance.now() + LONGEST_COUNT_MS;
  for await (const keys of walkKeys(connection, prefix)) {
    if (performance.now() > endsAtMs) break;
    for (const key of keys) {
      const place = placeOf(prefix, key);
      if (!place) continue;
      const map = found.get(place.map) ?? nothingFound();
      found.set(place.map, map);
      if (!place.isEntry) map.hasIndex = true;
      else {
        map.entries++;
        if (map.sample.length < MOST_MEASURED) map.sample.push(key);
      }
    }
  }
  return found;
}

function nothingFound(): Found {
  return { entries: 0, sample: [], hasIndex: false };
}

async function memoryOf(connection: RedisConnection, key: string): Promise<number> {
  return Number(await connection.send(key, true, ['MEMORY', 'USAGE', key]));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
