import type { Service } from '../kernel/life-cycle.ts';
import type { EnvironmentModuleOptions } from '../platform/options.ts';
import { startPlatformModule } from '../platform/platform-module.ts';

/** The Worker: the gateway of one environment. */
export function startWorkerService(options: EnvironmentModuleOptions): Promise<Service> {
  return startPlatformModule('worker', options, () => ({ endpoints: [], services: {}, checks: [] }));
}
