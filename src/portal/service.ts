import type { Service } from '../kernel/life-cycle.ts';
import type { PlatformModuleOptions } from '../platform/options.ts';
import { startPlatformModule } from '../platform/platform-module.ts';

/** The Portal, where developers find the APIs. */
export function startPortalService(options: PlatformModuleOptions): Promise<Service> {
  return startPlatformModule('portal', options, () => ({ endpoints: [], services: {}, checks: [] }));
}
