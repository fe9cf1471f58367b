import { startCacheService } from '../cache/service.ts';
import { option } from '../kernel/options.ts';
import { environmentOptions, gridOptions, platformOptions } from '../platform/options.ts';
import { commonOptions, servingCommand } from './command.ts';
import { serveUntilStopped } from './serve.ts';

export const cache = servingCommand({
  name: 'cache',
  summary: 'Runs a Cache alone: the data grid of one environment.',
  options: {
    port: option.port('port', 8090, { description: 'port of the Cache' }),
    ...commonOptions,
    ...platformOptions,
    ...environmentOptions,
    ...gridOptions,
  },
  run: async (values) => serveUntilStopped(await startCacheService(values)),
});
