import type { TestbedEndpoint } from '../endpoint.ts';

export const compressionHttpbin: readonly TestbedEndpoint[] = [];
