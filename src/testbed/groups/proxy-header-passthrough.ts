import type { TestbedEndpoint } from '../endpoint.ts';

export const proxyHeaderPassthrough: readonly TestbedEndpoint[] = [];
