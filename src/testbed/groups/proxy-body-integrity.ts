import type { TestbedEndpoint } from '../endpoint.ts';
import { echoEndpoints } from './proxy-body-integrity/echo.ts';
import { formEndpoints } from './proxy-body-integrity/forms.ts';
import { verifyEndpoints } from './proxy-body-integrity/verify.ts';

export const proxyBodyIntegrity: readonly TestbedEndpoint[] = [
  ...verifyEndpoints,
  ...echoEndpoints,
  ...formEndpoints,
];
