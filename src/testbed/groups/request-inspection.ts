import type { TestbedEndpoint } from '../endpoint.ts';
import { clientEndpoints } from './request-inspection/client.ts';
import { journalEndpoints } from './request-inspection/journal.ts';
import { rawEndpoints } from './request-inspection/raw.ts';

export const requestInspection: readonly TestbedEndpoint[] = [
  ...clientEndpoints,
  ...rawEndpoints,
  ...journalEndpoints,
];
