import { option } from '../kernel/options.ts';
import { platformOptions } from '../platform/options.ts';
import { startPortalService } from '../portal/service.ts';
import { commonOptions, servingCommand } from './command.ts';
import { serveUntilStopped } from './serve.ts';

export const portal = servingCommand({
  name: 'portal',
  summary: 'Runs the developer Portal alone.',
  options: {
    port: option.port('port', 8080, { description: 'port of the Portal' }),
    ...commonOptions,
    ...platformOptions,
  },
  run: async (values) => serveUntilStopped(await startPortalService(values)),
});
