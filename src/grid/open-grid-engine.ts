import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { PodRegistry } from '../store/pods.ts';
import type { GridEngine } from './engine.ts';
import { parseRedisAddress } from './redis/redis-address.ts';
import { RemoteEngine } from './remote/remote-engine.ts';

/** How a module is told where the data grid is. */
export interface GridOptions {
  /** `redis://…` and its like; absent when the grid is embedded. */
  readonly gridUrl?: string | undefined;
  /** The grid inside the process, when all modules run in one. */
  readonly gridEngine?: GridEngine | undefined;
}

interface Surroundings {
  readonly pods: PodRegistry;
  readonly clock: Clock;
  readonly log: Log;
  /** Absent for a module that belongs to no environment. */
  readonly environmentId?: string;
}

/** Keys of modules that belong to no environment. */
const PLATFORM_NAMESPACE = 'platform';

/**
 * The engine a module uses: Redis by URL, the shared one inside the process, or else the one that a Cache pod holds.
 * Whoever opened it closes it; closing does nothing to one that is shared.
 */
export async function openGridEngine(
  { gridUrl, gridEngine }: GridOptions,
  { pods, clock, log, environmentId }: Surroundings,
): Promise<GridEngine> {
  if (gridUrl !== undefined) return openRedisEngine(gridUrl, environmentId ?? PLATFORM_NAMESPACE, log);
  return gridEngine ? unclosed(gridEngine) : new RemoteEngine({ pods, clock, environmentId });
}

export async function openRedisEngine(url: string, namespace: string, log: Log): Promise<GridEngine> {
  // A mistyped address is told before anything is loaded.
  parseRedisAddress(url);
  // The client is loaded only where it is used: the embedded grid starts without it.
  const { RedisEngine } = await import('./redis/redis-engine.ts');
  return RedisEngine.open({ url, namespace, log });
}

/** Of those who share an engine none may close it for the others. */
export function unclosed(engine: GridEngine): GridEngine {
  return {
    map: (...args) => engine.map(...args),
    ping: () => engine.ping(),
    cluster: () => engine.cluster(),
    metrics: () => engine.metrics(),
    close: async () => {},
  };
}
