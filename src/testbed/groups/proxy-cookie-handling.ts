import type { TestbedEndpoint } from '../endpoint.ts';

export const proxyCookieHandling: readonly TestbedEndpoint[] = [];
