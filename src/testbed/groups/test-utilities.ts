import type { TestbedEndpoint } from '../endpoint.ts';

export const testUtilities: readonly TestbedEndpoint[] = [];
