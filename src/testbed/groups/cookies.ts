import type { TestbedEndpoint } from '../endpoint.ts';

export const cookies: readonly TestbedEndpoint[] = [];
