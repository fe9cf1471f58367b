import { option } from '../kernel/options.ts';
import { deliveryOptions, environmentOptions, gridOptions, platformOptions } from '../platform/options.ts';
import { startWorkerService } from '../worker/service.ts';
import { commonOptions, servingCommand } from './command.ts';
import { serveUntilStopped } from './serve.ts';

export const worker = servingCommand({
  name: 'worker',
  summary: 'Runs a Worker alone: the gateway of one environment.',
  options: {
    port: option.port('port', 8091, { description: 'port of the Worker' }),
    processes: option.integer('processes', 1, {
      description: 'serving processes of the pod; the first of them owns delivery',
      minimum: 1,
      maximum: 256,
    }),
    ...commonOptions,
    ...platformOptions,
    ...environmentOptions,
    ...deliveryOptions,
    ...gridOptions,
  },
  run: async (values) =>
    serveUntilStopped(await startWorkerService({ ...values, ...workerSecrets(process.env) })),
});

/** Secrets are no flags: those can be read by everybody on the machine. */
export function workerSecrets({ GATEHOUSE_MASTER_KEY }: NodeJS.ProcessEnv) {
  return { masterKey: GATEHOUSE_MASTER_KEY };
}
