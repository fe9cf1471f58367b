import { type DataGridReport, membersOfPods, reportDataGrid } from '../grid/data-grid-report.ts';
import type { GridEngine } from '../grid/engine.ts';
import { EngineGrid } from '../grid/engine-grid.ts';
import { MemoryEngine } from '../grid/memory/memory-engine.ts';
import { type GridOptions, openRedisEngine, unclosed } from '../grid/open-grid-engine.ts';
import { ownerOf } from '../grid/remote/owner-finder.ts';
import type { HealthCheck } from '../kernel/module/health.ts';
import type { PlatformBase, RunningPod } from '../platform/platform-module.ts';

/** The data grid as the Cache holds it. */
export interface CacheGrid {
  readonly engine: GridEngine;
  readonly check: HealthCheck;
  report(): Promise<DataGridReport>;
  /** Says so when another Cache pod holds the maps already. */
  warnOfOwner(pod: RunningPod): Promise<void>;
}

/** By the URL of a Redis, or else in this process. */
export async function openCacheGrid(
  { gridUrl, gridEngine }: GridOptions,
  { clock, log, pods, self }: PlatformBase,
  environmentId: string,
): Promise<CacheGrid> {
  const engine =
    gridUrl !== undefined
      ? await openRedisEngine(gridUrl, environmentId, log)
      : gridEngine
        ? unclosed(gridEngine)
        : new MemoryEngine(clock);
  const grid = new EngineGrid(engine);
  const kind = gridUrl === undefined ? 'in memory' : 'Redis';
  return {
    engine,
    check: {
      name: 'grid',
      run: async () => {
        await grid.ping();
        return kind;
      },
    },
    report: () =>
      reportDataGrid(grid, async () =>
        membersOfPods(await pods.live('cache', environmentId), self().podName),
      ),
    warnOfOwner: async ({ podName }) => {
      if (gridUrl !== undefined) return;
      const others = (await pods.live('cache', environmentId)).filter((pod) => pod.podName !== podName);
      const owner = ownerOf(others);
      // Several Caches share their maps through Redis alone; without one, this pod only waits for the other's end.
      if (owner) log.warn({ event: 'grid.standby', owner: owner.podName });
    },
  };
}
