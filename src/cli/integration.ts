import { startIntegrationService } from '../integration/service.ts';
import { option } from '../kernel/options.ts';
import { gridOptions, platformOptions } from '../platform/options.ts';
import { commonOptions, servingCommand } from './command.ts';
import { serveUntilStopped } from './serve.ts';

export const integration = servingCommand({
  name: 'integration',
  summary: 'Runs Integration alone: flows and scheduled jobs.',
  options: {
    port: option.port('port', 8092, { description: 'port of Integration' }),
    ...commonOptions,
    ...platformOptions,
    ...gridOptions,
  },
  run: async (values) => serveUntilStopped(await startIntegrationService(values)),
});
