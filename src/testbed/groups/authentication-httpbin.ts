import { basicEndpoints } from '../auth/basic.endpoints.ts';
import { digestEndpoints } from '../auth/digest.endpoints.ts';
import { jwtEndpoints } from '../auth/jwt.endpoints.ts';
import { tokenEndpoints } from '../auth/token.endpoints.ts';
import type { TestbedEndpoint } from '../endpoint.ts';

export const authenticationHttpbin: readonly TestbedEndpoint[] = [
  ...basicEndpoints,
  ...digestEndpoints,
  ...tokenEndpoints,
  ...jwtEndpoints,
];
