import type { TestbedEndpoint } from '../endpoint.ts';

export const proxyUrlHandling: readonly TestbedEndpoint[] = [];
