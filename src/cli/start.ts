import { startCacheService } from '../cache/service.ts';
import { startIntegrationService } from '../integration/service.ts';
import type { Service } from '../kernel/life-cycle.ts';
import { option, UsageError } from '../kernel/options.ts';
import { environmentOptions, platformOptions } from '../platform/options.ts';
import { startPortalService } from '../portal/service.ts';
import { testbedOptions } from '../testbed/options.ts';
import { startTestbedService } from '../testbed/service.ts';
import { startWorkerService } from '../worker/service.ts';
import { command, commonOptions } from './command.ts';
import { serveUntilStopped, startInTurn } from './serve.ts';

const ports = {
  testbedPort: option.port('testbed-port', 10090, { description: 'port of the test service' }),
  managerPort: option.port('manager-port', 8080, { description: 'port of the Manager' }),
  workerPort: option.port('worker-port', 8091, { description: 'port of the Worker' }),
  cachePort: option.port('cache-port', 8090, { description: 'port of the Cache, on loopback alone' }),
  integrationPort: option.port('integration-port', 8092, { description: 'port of Integration' }),
  portalPort: option.port('portal-port', 32090, { description: 'port of the Portal' }),
};

export const start = command({
  name: 'start',
  summary: 'Runs every module in one process.',
  options: { ...ports, ...commonOptions, ...platformOptions, ...environmentOptions, ...testbedOptions },
  run: async ({ podName, ...values }) => {
    // Each module is a pod of its own, so that one name for all of them would not do.
    const platform = (module: string, port: number) => ({
      ...values,
      port,
      podName: podName && `${podName}-${module}`,
    });
    const services = await startInTurn([
      naming('testbed', () => startTestbedService({ ...values, port: values.testbedPort, processes: 1 })),
      naming('worker', () => startWorkerService(platform('worker', values.workerPort))),
      // Nobody outside the machine has business with the data grid.
      naming('cache', () => startCacheService({ ...platform('cache', values.cachePort), host: '127.0.0.1' })),
      naming('integration', () => startIntegrationService(platform('integration', values.integrationPort))),
      naming('portal', () => startPortalService(platform('portal', values.portalPort))),
    ]);
    return serveUntilStopped(...services);
  },
});

/** A port that is taken is named together with the flag that chooses another. */
function naming(module: string, startService: () => Promise<Service>): () => Promise<Service> {
  return async () => {
    try {
      return await startService();
    } catch (error) {
      const { code, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
      if (code !== 'EADDRINUSE' || port === undefined) throw error;
      throw new UsageError(`${address}:${port} is already in use; choose another port with --${module}-port`);
    }
  };
}
