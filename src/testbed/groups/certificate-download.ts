import type { TestbedEndpoint } from '../endpoint.ts';

export const certificateDownload: readonly TestbedEndpoint[] = [];
