import type { UnsentRecordKeeper } from '../delivery/unsent-records.ts';
import type { DispatcherOptions } from '../kernel/catalogue/dispatcher.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { moduleEntries, moduleGroup } from '../kernel/module/module-endpoints.ts';
import type { Random } from '../kernel/random.ts';
import type { SecretBox } from '../kernel/secret-box.ts';
import type { PodChannelOptions } from '../platform/channel/pod-channel.ts';
import type { Store } from '../store/contract.ts';
import { PodRegistry } from '../store/pods.ts';
import { managerCatalogue } from './catalogue.ts';
import { ConnectionService } from './features/connections/connection-service.ts';
import type { ConnectionUsageSource } from './features/connections/connection-usages.ts';
import { createDeployments } from './features/deployments/create-deployments.ts';
import { createDescriptions } from './features/documentation/descriptions.ts';
import { EnvironmentVariableService } from './features/environment-variables/environment-variable-service.ts';
import { EnvironmentService } from './features/environments/environment-service.ts';
import { Journals } from './features/journals/journals.ts';
import { KeyStoreService } from './features/key-stores/key-store-service.ts';
import { LogConnectorRuntime } from './features/log-connectors/log-connector-runtime.ts';
import { LogConnectorService } from './features/log-connectors/log-connector-service.ts';
import { LogDelivery } from './features/log-delivery/log-delivery.ts';
import { ProjectService } from './features/projects/project-service.ts';
import { RoleService } from './features/roles/role-service.ts';
import { SettingsService } from './features/settings/settings-service.ts';
import { SignIn } from './features/tokens/sign-in.ts';
import { TokenService } from './features/tokens/token-service.ts';
import type { UnsentTransfer } from './features/unsent/unsent-transfer.ts';
import { UserService } from './features/users/user-service.ts';
import { finishAnswer } from './finish.ts';
import { managerGroups } from './groups.ts';
import { Turns } from './resources/turns.ts';
import type { Caller } from './security/caller.ts';
import { Guards } from './security/guards.ts';
import { createIdentify } from './security/identify.ts';
import { Passwords } from './security/passwords.ts';
import type { ManagerFoundation, ManagerServices } from './services.ts';

export interface ManagerOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly secretBox: SecretBox;
  /** Who is alive; without it pods expire after the usual time. */
  readonly pods?: PodRegistry;
  /** How pods are reached. */
  readonly callPod: PodChannelOptions['call'];
  /** What connections are deployed and tried with, where it is not what pods say. */
  readonly deployment?: Pick<ManagerServices, 'deployer' | 'connectionTester'>;
  /** Beside what the Manager itself knows: who uses connections. */
  readonly connectionUsageSources?: readonly ConnectionUsageSource[];
  /** Whether the Manager's own records may go to public addresses only. */
  readonly refusePrivateTargets?: boolean;
  /** Where those of them are kept that could not be delivered. */
  readonly unsentRecords: UnsentRecordKeeper;
  /** What brings them to the log index. */
  readonly unsentTransfer: UnsentTransfer;
  /** Is told the name of every environment that is made. */
  readonly onEnvironment?: ((name: string) => void) | undefined;
}

/** The management API, ready to be served. */
export type Manager = Required<
  Pick<DispatcherOptions<ManagerServices, Caller>, 'endpoints' | 'services' | 'identify' | 'finish'>
>;

/** Puts the Manager together: what stands on nothing first. */
export function createManager(options: ManagerOptions): Manager {
  const settings = new SettingsService(options);
  const journals = new Journals({ ...options, settings });
  const foundation: ManagerFoundation = { ...options, settings, journals };
  const passwords = new Passwords(options.random);
  const users = new UserService({ ...foundation, passwords, turns: new Turns(foundation) });
  const guards = new Guards(foundation);
  const environments = new EnvironmentService({ ...foundation, onCreated: options.onEnvironment });
  const keyStores = new KeyStoreService('KeyStore', foundation);
  const trustStores = new KeyStoreService('TrustStore', foundation);
  const projects = new ProjectService(foundation);
  const logConnectors: LogConnectorService = new LogConnectorService({
    ...foundation,
    environments,
    projects,
    connections: () => connections,
  });
  const environmentVariables = new EnvironmentVariableService({ ...foundation, environments });
  const connections = new ConnectionService({
    ...foundation,
    environments,
    keyStores,
    trustStores,
    environmentVariables,
    usageSources: [logConnectors.usagesOf, ...(options.connectionUsageSources ?? [])],
  });
  const logDelivery = new LogDelivery({
    ...foundation,
    environments,
    allowsPrivateTargets: !options.refusePrivateTargets,
    unsentRecords: options.unsentRecords,
  });
  const { deployments, connectionTester, connectionRuntime, deliveryPods } = createDeployments({
    ...foundation,
    pods: options.pods ?? new PodRegistry(options.store, options.clock),
    callPod: options.callPod,
    environments,
    connections,
    keyStores,
    trustStores,
    environmentVariables,
    logConnectors,
    published: logDelivery.published,
  });
  const services: ManagerServices = {
    ...foundation,
    deployments,
    deployer: deployments,
    connectionTester,
    connectionRuntime,
    logConnectors,
    logConnectorRuntime: new LogConnectorRuntime(deliveryPods),
    logDelivery,
    ...options.deployment,
    users,
    roles: new RoleService(foundation),
    guards,
    signIn: new SignIn({ ...foundation, guards, passwords, users }),
    tokens: new TokenService({ ...foundation, users }),
    projects,
    environments,
    keyStores,
    trustStores,
    connections,
    environmentVariables,
    unsentTransfer: options.unsentTransfer,
    descriptions: createDescriptions({
      groups: [...managerGroups, moduleGroup],
      catalogue: [...managerCatalogue, ...moduleEntries],
    }),
  };
  return {
    endpoints: managerCatalogue,
    services,
    identify: createIdentify(services),
    finish: finishAnswer,
  };
}
