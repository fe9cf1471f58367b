import type { TestbedEndpoint } from '../endpoint.ts';
import { addressEndpoints } from './proxy-url-handling/addresses.ts';
import { letterEndpoints } from './proxy-url-handling/letters.ts';
import { oddPathEndpoints } from './proxy-url-handling/odd-paths.ts';

export const proxyUrlHandling: readonly TestbedEndpoint[] = [
  ...letterEndpoints,
  ...oddPathEndpoints,
  ...addressEndpoints,
];
