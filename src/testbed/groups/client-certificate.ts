import type { TestbedEndpoint } from '../endpoint.ts';

export const clientCertificate: readonly TestbedEndpoint[] = [];
