import type { TestbedEndpoint } from '../endpoint.ts';

export const clientEdgeCaseTest: readonly TestbedEndpoint[] = [];
