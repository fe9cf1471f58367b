import type { TestbedEndpoint } from '../endpoint.ts';

export const encodingTest: readonly TestbedEndpoint[] = [];
