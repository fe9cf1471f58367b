import type { TestbedEndpoint } from '../endpoint.ts';
import { backendErrorEndpoints } from './proxy-connection-redirect/backend-errors.ts';
import { connectionEndpoints } from './proxy-connection-redirect/connections.ts';
import { faultEndpoints } from './proxy-connection-redirect/faults.ts';
import { protocolEndpoints } from './proxy-connection-redirect/protocols.ts';
import { redirectAnswerEndpoints } from './proxy-connection-redirect/redirect-answers.ts';
import { redirectLocationEndpoints } from './proxy-connection-redirect/redirect-locations.ts';
import { resilienceEndpoints } from './proxy-connection-redirect/resilience.ts';

export const proxyConnectionRedirect: readonly TestbedEndpoint[] = [
  ...redirectLocationEndpoints,
  ...redirectAnswerEndpoints,
  ...backendErrorEndpoints,
  ...connectionEndpoints,
  ...resilienceEndpoints,
  ...protocolEndpoints,
  ...faultEndpoints,
];
