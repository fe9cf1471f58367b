import type { TestbedEndpoint } from '../endpoint.ts';

export const requestEncoding: readonly TestbedEndpoint[] = [];
