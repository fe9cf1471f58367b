import type { TestbedEndpoint } from '../endpoint.ts';

export const anything: readonly TestbedEndpoint[] = [];
