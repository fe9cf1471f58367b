import type { TestbedEndpoint } from '../endpoint.ts';

export const requestInspection: readonly TestbedEndpoint[] = [];
