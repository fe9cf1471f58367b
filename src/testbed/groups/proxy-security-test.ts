import type { TestbedEndpoint } from '../endpoint.ts';

export const proxySecurityTest: readonly TestbedEndpoint[] = [];
