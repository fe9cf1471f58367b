import type { ManagerEndpoint } from '../../endpoint.ts';
import { logConnectorOperationEndpoints } from './operation-endpoints.ts';
import { logConnectorResourceEndpoints } from './resource-endpoints.ts';

export const logConnectorEndpoints: readonly ManagerEndpoint[] = [
  ...logConnectorResourceEndpoints,
  ...logConnectorOperationEndpoints,
];
