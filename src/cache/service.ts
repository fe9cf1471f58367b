import type { Service } from '../kernel/life-cycle.ts';
import type { EnvironmentModuleOptions } from '../platform/options.ts';
import { startPlatformModule } from '../platform/platform-module.ts';

/** The Cache: the data grid of one environment. */
export function startCacheService(options: EnvironmentModuleOptions): Promise<Service> {
  return startPlatformModule('cache', options, () => ({ endpoints: [], services: {}, checks: [] }));
}
