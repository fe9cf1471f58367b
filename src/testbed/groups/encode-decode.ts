import type { TestbedEndpoint } from '../endpoint.ts';

export const encodeDecode: readonly TestbedEndpoint[] = [];
