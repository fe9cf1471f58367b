import type { TestbedEndpoint } from '../endpoint.ts';

export const echo: readonly TestbedEndpoint[] = [];
