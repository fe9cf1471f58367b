import type { TestbedEndpoint } from '../endpoint.ts';

export const badsslInfo: readonly TestbedEndpoint[] = [];
