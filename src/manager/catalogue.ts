import type { ManagerEndpoint } from './endpoint.ts';
import { connectionEndpoints } from './features/connections/connections.endpoints.ts';
import { connectionRuntimeEndpoints } from './features/deployments/runtime.endpoints.ts';
import { documentationEndpoints } from './features/documentation/documentation.endpoints.ts';
import { environmentVariableEndpoints } from './features/environment-variables/environment-variables.endpoints.ts';
import { environmentEndpoints } from './features/environments/environments.endpoints.ts';
import { journalEndpoints } from './features/journals/journals.endpoints.ts';
import { keyStoreEndpoints } from './features/key-stores/key-stores.endpoints.ts';
import { logConnectorEndpoints } from './features/log-connectors/log-connectors.endpoints.ts';
import { probeEndpoints } from './features/probes/probes.endpoints.ts';
import { projectEndpoints } from './features/projects/projects.endpoints.ts';
import { roleEndpoints } from './features/roles/roles.endpoints.ts';
import { settingsEndpoints } from './features/settings/settings.endpoints.ts';
import { authEndpoints } from './features/tokens/auth.endpoints.ts';
import { tokenEndpoints } from './features/tokens/tokens.endpoints.ts';
import { trustStoreEndpoints } from './features/trust-stores/trust-stores.endpoints.ts';
import { unsentEndpoints } from './features/unsent/unsent.endpoints.ts';
import { passwordEndpoints } from './features/users/password.endpoints.ts';
import { profileEndpoints } from './features/users/profile.endpoints.ts';
import { userEndpoints } from './features/users/users.endpoints.ts';

/** Every endpoint of the management API, feature by feature. */
export const managerCatalogue: readonly ManagerEndpoint[] = [
  ...authEndpoints,
  ...tokenEndpoints,
  ...userEndpoints,
  ...passwordEndpoints,
  ...profileEndpoints,
  ...roleEndpoints,
  ...probeEndpoints,
  ...projectEndpoints,
  ...environmentEndpoints,
  ...keyStoreEndpoints,
  ...trustStoreEndpoints,
  ...environmentVariableEndpoints,
  ...connectionEndpoints,
  ...connectionRuntimeEndpoints,
  ...logConnectorEndpoints,
  ...unsentEndpoints,
  ...settingsEndpoints,
  ...journalEndpoints,
  ...documentationEndpoints,
];
