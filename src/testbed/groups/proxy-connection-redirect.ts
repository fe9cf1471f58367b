import type { TestbedEndpoint } from '../endpoint.ts';

export const proxyConnectionRedirect: readonly TestbedEndpoint[] = [];
