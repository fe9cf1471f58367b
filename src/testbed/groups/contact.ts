import type { TestbedEndpoint } from '../endpoint.ts';

export const contact: readonly TestbedEndpoint[] = [];
