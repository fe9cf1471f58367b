import { EngineGrid } from '../grid/engine-grid.ts';
import { type GridOptions, openGridEngine } from '../grid/open-grid-engine.ts';
import type { Service } from '../kernel/life-cycle.ts';
import type { PlatformModuleOptions } from '../platform/options.ts';
import { startPlatformModule } from '../platform/platform-module.ts';

/** Integration: flows and scheduled jobs. */
export function startIntegrationService(options: PlatformModuleOptions & GridOptions): Promise<Service> {
  return startPlatformModule('integration', options, async (base) => {
    const grid = new EngineGrid(await openGridEngine(options, base));
    return { endpoints: [], services: { grid }, checks: [], stop: () => grid.close() };
  });
}
