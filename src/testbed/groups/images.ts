import type { TestbedEndpoint } from '../endpoint.ts';

export const images: readonly TestbedEndpoint[] = [];
