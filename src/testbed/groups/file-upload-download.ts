import type { TestbedEndpoint } from '../endpoint.ts';
import { download } from './file-upload-download/download.ts';
import { uploads } from './file-upload-download/uploads.ts';

export const fileUploadDownload: readonly TestbedEndpoint[] = [...uploads, download];
