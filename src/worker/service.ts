import type { Service } from '../kernel/life-cycle.ts';
import { findEnvironment } from '../platform/find-environment.ts';
import type { EnvironmentModuleOptions } from '../platform/options.ts';
import { startPlatformModule } from '../platform/platform-module.ts';

/** The Worker: the gateway of one environment. */
export function startWorkerService(options: EnvironmentModuleOptions): Promise<Service> {
  return startPlatformModule('worker', options, async ({ store }) => {
    const { id: environmentId } = await findEnvironment(store, options.environment);
    return { environmentId, endpoints: [], services: {}, checks: [] };
  });
}
