import type { TestbedEndpoint } from '../endpoint.ts';
import { cacheScenarioEndpoints } from './status-cache/cache-scenarios.ts';
import { statusEndpoints } from './status-cache/statuses.ts';
import { validatorEndpoints } from './status-cache/validators.ts';

export const statusCache: readonly TestbedEndpoint[] = [
  ...statusEndpoints,
  ...validatorEndpoints,
  ...cacheScenarioEndpoints,
];
