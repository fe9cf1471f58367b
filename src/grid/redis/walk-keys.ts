import { GridUnavailable } from '../contract.ts';
import type { RedisConnection } from './redis-connection.ts';

const KEYS_A_STEP = 1000;
/** A walk is many commands; all of them together have this long. */
const LONGEST_WALK_MS = 10_000;

/**
 * All keys that begin so, in portions, from every primary. It is for reports and for clearing: it looks at every key of
 * the server. A key may come twice while the server grows its tables.
 */
export async function* walkKeys(connection: RedisConnection, beginning: string): AsyncGenerator<string[]> {
  const endsAtMs = performance.now() + LONGEST_WALK_MS;
  // Names of maps and namespaces hold nothing that a pattern would read as more than itself.
  const pattern = `${beginning}*`;
  for (const node of await connection.primaries()) {
    let cursor = '0';
    do {
      if (performance.now() > endsAtMs) throw new GridUnavailable();
      const step = await node.send(['SCAN', cursor, 'MATCH', pattern, 'COUNT', String(KEYS_A_STEP)]);
      const [next, keys] = step as [string, string[]];
      cursor = next;
      if (keys.length > 0) yield keys;
    } while (cursor !== '0');
  }
}
