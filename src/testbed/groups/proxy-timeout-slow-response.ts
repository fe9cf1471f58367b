import type { TestbedEndpoint } from '../endpoint.ts';

export const proxyTimeoutSlowResponse: readonly TestbedEndpoint[] = [];
