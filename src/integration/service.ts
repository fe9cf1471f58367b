import type { Service } from '../kernel/life-cycle.ts';
import type { PlatformModuleOptions } from '../platform/options.ts';
import { startPlatformModule } from '../platform/platform-module.ts';

/** Integration: flows and scheduled jobs. */
export function startIntegrationService(options: PlatformModuleOptions): Promise<Service> {
  return startPlatformModule('integration', options, () => ({ endpoints: [], services: {}, checks: [] }));
}
