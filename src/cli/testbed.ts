import { option } from '../kernel/options.ts';
import { testbedOptions } from '../testbed/options.ts';
import { startTestbedService } from '../testbed/service.ts';
import { commonOptions, servingCommand } from './command.ts';
import { serveUntilStopped } from './serve.ts';

export const testbed = servingCommand({
  name: 'testbed',
  summary: 'Runs the HTTP test service alone.',
  options: {
    port: option.port('port', 10090, { description: 'port of the test service' }),
    processes: option.integer('processes', 1, {
      description: 'serving processes; state is shared between them',
      minimum: 1,
      maximum: 256,
    }),
    ...commonOptions,
    ...testbedOptions,
  },
  run: async (values) => serveUntilStopped(await startTestbedService(values)),
});
