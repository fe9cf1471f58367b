import type { ManagerEndpoint } from './endpoint.ts';
import { documentationEndpoints } from './features/documentation/documentation.endpoints.ts';
import { environmentVariableEndpoints } from './features/environment-variables/environment-variables.endpoints.ts';
import { environmentEndpoints } from './features/environments/environments.endpoints.ts';
import { journalEndpoints } from './features/journals/journals.endpoints.ts';
import { keyStoreEndpoints } from './features/key-stores/key-stores.endpoints.ts';
import { projectEndpoints } from './features/projects/projects.endpoints.ts';
import { settingsEndpoints } from './features/settings/settings.endpoints.ts';
import { trustStoreEndpoints } from './features/trust-stores/trust-stores.endpoints.ts';

/** Every endpoint of the management API, feature by feature. */
export const managerCatalogue: readonly ManagerEndpoint[] = [
  ...projectEndpoints,
  ...environmentEndpoints,
  ...keyStoreEndpoints,
  ...trustStoreEndpoints,
  ...environmentVariableEndpoints,
  ...settingsEndpoints,
  ...journalEndpoints,
  ...documentationEndpoints,
];
