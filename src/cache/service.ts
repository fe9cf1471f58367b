import { startDiagnostics } from '../diagnostics/start-diagnostics.ts';
import type { GridOptions } from '../grid/open-grid-engine.ts';
import type { Service } from '../kernel/life-cycle.ts';
import { awaitEnvironment } from '../platform/await-environment.ts';
import { environmentAccess } from '../platform/environment-access.ts';
import type { EnvironmentModuleOptions } from '../platform/options.ts';
import { startPlatformModule } from '../platform/platform-module.ts';
import { openCacheGrid } from './cache-grid.ts';
import { gridEndpoints } from './grid.endpoints.ts';

/** The Cache: the data grid of one environment. */
export function startCacheService(options: EnvironmentModuleOptions & GridOptions): Promise<Service> {
  return startPlatformModule('cache', options, async (base) => {
    const { id, value } = await awaitEnvironment(base, options);
    const grid = await openCacheGrid(options, base, id);
    const diagnostics = startDiagnostics({
      ...base,
      module: 'cache',
      environment: { id, name: value.name },
      dataGrid: grid.report,
    });
    return {
      environmentId: id,
      identify: environmentAccess(id),
      endpoints: [...diagnostics.endpoints, ...gridEndpoints(grid.engine)],
      services: {},
      checks: [grid.check],
      started: grid.warnOfOwner,
      stop: async () => {
        await diagnostics.stop();
        await grid.engine.close();
      },
    };
  });
}
