import { startCacheService } from '../cache/service.ts';
import { MemoryEngine } from '../grid/memory/memory-engine.ts';
import { startIntegrationService } from '../integration/service.ts';
import { option } from '../kernel/options.ts';
import {
  type EmbeddedIndexService,
  embeddedIndexOptions,
  startEmbeddedIndexService,
} from '../log-index/embedded/service.ts';
import { logIndexAddress } from '../log-index/log-index-address.ts';
import { startManagerService } from '../manager/service.ts';
import {
  deliveryOptions,
  environmentOptions,
  gridOptions,
  logIndexOptions,
  platformOptions,
} from '../platform/options.ts';
import { startPortalService } from '../portal/service.ts';
import { testbedOptions } from '../testbed/options.ts';
import { startTestbedService } from '../testbed/service.ts';
import { startWorkerService } from '../worker/service.ts';
import { commonOptions, servingCommand } from './command.ts';
import { managerSecrets } from './manager.ts';
import { serveUntilStopped, startInTurn } from './serve.ts';
import { workerSecrets } from './worker.ts';

const ports = {
  testbedPort: option.port('testbed-port', 10090, { description: 'port of the test service' }),
  managerPort: option.port('manager-port', 8080, { description: 'port of the Manager' }),
  workerPort: option.port('worker-port', 8091, { description: 'port of the Worker' }),
  cachePort: option.port('cache-port', 8090, { description: 'port of the Cache, on loopback alone' }),
  integrationPort: option.port('integration-port', 8092, { description: 'port of Integration' }),
  portalPort: option.port('portal-port', 32090, { description: 'port of the Portal' }),
  logIndexPort: option.port('log-index-port', 9200, {
    description: 'port of the embedded log index, on loopback alone',
  }),
};

export const start = servingCommand({
  name: 'start',
  summary: 'Runs every module in one process.',
  options: {
    ...ports,
    ...commonOptions,
    ...platformOptions,
    ...environmentOptions,
    ...gridOptions,
    ...logIndexOptions,
    ...embeddedIndexOptions,
    ...deliveryOptions,
    ...testbedOptions,
  },
  run: async (values) => {
    await using opened = new AsyncDisposableStack();
    // One process needs no way to its own memory: all modules share the maps themselves.
    const gridEngine = values.gridUrl === undefined ? new MemoryEngine() : undefined;
    opened.defer(async () => gridEngine?.close());
    let { logIndexUrl } = values;
    if (logIndexUrl !== undefined) logIndexAddress(logIndexUrl);
    let embeddedIndex: EmbeddedIndexService | undefined;
    const on = (port: number) => ({ ...values, gridEngine, logIndexUrl, port });
    const logIndex = async () => {
      embeddedIndex = await startEmbeddedIndexService(on(values.logIndexPort));
      logIndexUrl = embeddedIndex.url;
      return embeddedIndex;
    };
    const services = await startInTurn([
      () => startTestbedService({ ...on(values.testbedPort), processes: 1 }),
      ...(logIndexUrl === undefined ? [logIndex] : []),
      // It comes first of the platform: its first start makes the environments that others belong to.
      () =>
        startManagerService({
          ...on(values.managerPort),
          ...managerSecrets(process.env),
          makeTrafficLogStream: embeddedIndex?.makeTrafficLogStream,
        }),
      () => startWorkerService({ ...on(values.workerPort), processes: 1, ...workerSecrets(process.env) }),
      // Nobody outside the machine has business with the data grid.
      () => startCacheService({ ...on(values.cachePort), host: '127.0.0.1' }),
      () => startIntegrationService(on(values.integrationPort)),
      () => startPortalService(on(values.portalPort)),
    ]);
    return await serveUntilStopped(...services);
  },
});
