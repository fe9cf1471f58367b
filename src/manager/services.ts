import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { Random } from '../kernel/random.ts';
import type { SecretBox } from '../kernel/secret-box.ts';
import type { ConnectionTester } from '../platform/deployment/connection-tester.ts';
import type { ObjectDeployer } from '../platform/deployment/object-deployer.ts';
import type { Store } from '../store/contract.ts';
import type { ConnectionService } from './features/connections/connection-service.ts';
import type { ConnectionRuntime } from './features/deployments/connection-runtime.ts';
import type { DeploymentService } from './features/deployments/deployment-service.ts';
import type { Descriptions } from './features/documentation/descriptions.ts';
import type { EnvironmentVariableService } from './features/environment-variables/environment-variable-service.ts';
import type { EnvironmentService } from './features/environments/environment-service.ts';
import type { Journals } from './features/journals/journals.ts';
import type { KeyStoreService } from './features/key-stores/key-store-service.ts';
import type { LogConnectorRuntime } from './features/log-connectors/log-connector-runtime.ts';
import type { LogConnectorService } from './features/log-connectors/log-connector-service.ts';
import type { LogDelivery } from './features/log-delivery/log-delivery.ts';
import type { ProjectService } from './features/projects/project-service.ts';
import type { RoleService } from './features/roles/role-service.ts';
import type { SettingsService } from './features/settings/settings-service.ts';
import type { SignIn } from './features/tokens/sign-in.ts';
import type { TokenService } from './features/tokens/token-service.ts';
import type { UnsentTransfer } from './features/unsent/unsent-transfer.ts';
import type { UserService } from './features/users/user-service.ts';
import type { Guards } from './security/guards.ts';

/** What every service of the Manager stands on. */
export interface ManagerFoundation {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly secretBox: SecretBox;
  readonly settings: SettingsService;
  readonly journals: Journals;
}

/** What the handlers of the management API are given: one member for each feature. */
export interface ManagerServices extends ManagerFoundation {
  readonly users: UserService;
  readonly roles: RoleService;
  readonly guards: Guards;
  readonly signIn: SignIn;
  readonly tokens: TokenService;
  readonly projects: ProjectService;
  readonly environments: EnvironmentService;
  readonly keyStores: KeyStoreService;
  readonly trustStores: KeyStoreService;
  readonly environmentVariables: EnvironmentVariableService;
  readonly connections: ConnectionService;
  readonly deployer: ObjectDeployer;
  readonly connectionTester: ConnectionTester;
  readonly connectionRuntime: ConnectionRuntime;
  readonly deployments: DeploymentService;
  readonly logConnectors: LogConnectorService;
  readonly logConnectorRuntime: LogConnectorRuntime;
  readonly logDelivery: LogDelivery;
  readonly unsentTransfer: UnsentTransfer;
  readonly descriptions: Descriptions;
}
