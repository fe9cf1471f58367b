import type { TestbedEndpoint } from '../endpoint.ts';

export const statusCache: readonly TestbedEndpoint[] = [];
