import type { Service } from '../kernel/life-cycle.ts';
import { findEnvironment } from '../platform/find-environment.ts';
import type { EnvironmentModuleOptions } from '../platform/options.ts';
import { startPlatformModule } from '../platform/platform-module.ts';

/** The Cache: the data grid of one environment. */
export function startCacheService(options: EnvironmentModuleOptions): Promise<Service> {
  return startPlatformModule('cache', options, async ({ store }) => {
    const { id: environmentId } = await findEnvironment(store, options.environment);
    return { environmentId, endpoints: [], services: {}, checks: [] };
  });
}
