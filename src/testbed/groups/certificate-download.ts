import type { TestbedEndpoint } from '../endpoint.ts';
import { certificateFileEndpoints } from './certificate-download/files.ts';
import { ocspEndpoints } from './certificate-download/ocsp.ts';
import { protoEndpoints } from './certificate-download/protos.ts';

export const certificateDownload: readonly TestbedEndpoint[] = [
  ...certificateFileEndpoints,
  ...ocspEndpoints,
  ...protoEndpoints,
];
