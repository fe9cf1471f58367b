import type { TestbedEndpoint } from '../endpoint.ts';

export const proxyContentTypeCharset: readonly TestbedEndpoint[] = [];
