import type { TestbedEndpoint } from '../endpoint.ts';

export const sse: readonly TestbedEndpoint[] = [];
