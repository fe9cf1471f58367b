import type { TestbedEndpoint } from '../endpoint.ts';

export const proxyHttpMethods: readonly TestbedEndpoint[] = [];
