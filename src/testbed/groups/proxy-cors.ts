import type { TestbedEndpoint } from '../endpoint.ts';

export const proxyCors: readonly TestbedEndpoint[] = [];
