import type { TestbedEndpoint } from '../endpoint.ts';

export const userCrud: readonly TestbedEndpoint[] = [];
