import type { TestbedEndpoint } from '../endpoint.ts';

export const redirects: readonly TestbedEndpoint[] = [];
