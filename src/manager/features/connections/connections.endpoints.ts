import type { ManagerEndpoint } from '../../endpoint.ts';
import { connectionPlaces } from './connection-calls.ts';
import { operationEndpoints } from './operation-endpoints.ts';
import { resourceEndpoints } from './resource-endpoints.ts';
import { transferEndpoints } from './transfer/transfer-endpoints.ts';
import { trialEndpoints } from './trial-endpoints.ts';

/** Webhook connections of projects, and those that all projects may use. */
export const connectionEndpoints: readonly ManagerEndpoint[] = connectionPlaces.flatMap((place) => [
  ...resourceEndpoints(place),
  ...trialEndpoints(place),
  ...operationEndpoints(place),
  ...transferEndpoints(place),
]);
