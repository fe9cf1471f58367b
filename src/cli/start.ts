import { option } from '../kernel/options.ts';
import { testbedOptions } from '../testbed/options.ts';
import { startTestbedService } from '../testbed/service.ts';
import { command, commonOptions } from './command.ts';
import { serveUntilStopped } from './serve.ts';

export const start = command({
  name: 'start',
  summary: 'Runs every module in one process.',
  options: {
    testbedPort: option.port('testbed-port', 10090, { description: 'port of the test service' }),
    ...commonOptions,
    ...testbedOptions,
  },
  run: async (values) =>
    serveUntilStopped(await startTestbedService({ ...values, port: values.testbedPort, processes: 1 })),
});
