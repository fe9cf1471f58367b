import { option } from '../kernel/options.ts';
import { environmentOptions, platformOptions } from '../platform/options.ts';
import { startWorkerService } from '../worker/service.ts';
import { command, commonOptions } from './command.ts';
import { serveUntilStopped } from './serve.ts';

export const worker = command({
  name: 'worker',
  summary: 'Runs a Worker alone: the gateway of one environment.',
  options: {
    port: option.port('port', 8091, { description: 'port of the Worker' }),
    ...commonOptions,
    ...platformOptions,
    ...environmentOptions,
  },
  run: async (values) => serveUntilStopped(await startWorkerService(values)),
});
