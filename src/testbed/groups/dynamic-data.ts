import type { TestbedEndpoint } from '../endpoint.ts';

export const dynamicData: readonly TestbedEndpoint[] = [];
