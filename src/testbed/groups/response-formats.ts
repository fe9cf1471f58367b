import type { TestbedEndpoint } from '../endpoint.ts';

export const responseFormats: readonly TestbedEndpoint[] = [];
