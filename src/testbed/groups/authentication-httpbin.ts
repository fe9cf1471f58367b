import type { TestbedEndpoint } from '../endpoint.ts';

export const authenticationHttpbin: readonly TestbedEndpoint[] = [];
