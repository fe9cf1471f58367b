import { fault } from '../../kernel/faults.ts';
import { TLS_BASE_PORT } from './scenario.ts';
import type { TlsScenarioPorts } from './tls-ports.ts';

/** The scenarios of a service whose TLS is switched off. */
export const unservedTls: TlsScenarioPorts = {
  basePort: TLS_BASE_PORT,
  ownHost: '127.0.0.1',
  portOf: ({ number }) => TLS_BASE_PORT + number - 1,
  isRunning: () => false,
  scenarioAt: () => undefined,
  material: async () => {
    throw fault('feature.disabled', {
      feature: 'The test authority',
      reason: 'the service was started without TLS',
    });
  },
};
