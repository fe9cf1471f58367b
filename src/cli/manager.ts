import { option } from '../kernel/options.ts';
import { startManagerService } from '../manager/service.ts';
import { deliveryOptions, logIndexOptions, platformOptions } from '../platform/options.ts';
import { commonOptions, servingCommand } from './command.ts';
import { serveUntilStopped } from './serve.ts';

export const manager = servingCommand({
  name: 'manager',
  summary: 'Runs the Manager alone: the management API.',
  options: {
    port: option.port('port', 8080, { description: 'port of the Manager' }),
    ...commonOptions,
    ...platformOptions,
    ...logIndexOptions,
    ...deliveryOptions,
  },
  run: async (values) =>
    serveUntilStopped(await startManagerService({ ...values, ...managerSecrets(process.env) })),
});

/** Secrets are no flags: those can be read by everybody on the machine. */
export function managerSecrets({ GATEHOUSE_ADMIN_PASSWORD, GATEHOUSE_MASTER_KEY }: NodeJS.ProcessEnv) {
  return { adminPassword: GATEHOUSE_ADMIN_PASSWORD, masterKey: GATEHOUSE_MASTER_KEY };
}
