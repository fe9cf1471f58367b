import type { TestbedEndpoint } from '../endpoint.ts';

export const requestCharsetTest: readonly TestbedEndpoint[] = [];
