import type { TestbedEndpoint } from '../endpoint.ts';

export const fileUploadDownload: readonly TestbedEndpoint[] = [];
