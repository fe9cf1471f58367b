import type { TestbedEndpoint } from '../endpoint.ts';

export const authenticationCustom: readonly TestbedEndpoint[] = [];
