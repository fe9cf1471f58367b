import type { TestbedEndpoint } from '../endpoint.ts';

export const httpMethods: readonly TestbedEndpoint[] = [];
