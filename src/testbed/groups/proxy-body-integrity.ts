import type { TestbedEndpoint } from '../endpoint.ts';

export const proxyBodyIntegrity: readonly TestbedEndpoint[] = [];
