import type { DispatcherOptions } from '../kernel/catalogue/dispatcher.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { moduleEntries, moduleGroup } from '../kernel/module/module-endpoints.ts';
import type { Random } from '../kernel/random.ts';
import type { SecretBox } from '../kernel/secret-box.ts';
import type { Store } from '../store/contract.ts';
import { managerCatalogue } from './catalogue.ts';
import { createDescriptions } from './features/documentation/descriptions.ts';
import { EnvironmentVariableService } from './features/environment-variables/environment-variable-service.ts';
import { EnvironmentService } from './features/environments/environment-service.ts';
import { Journals } from './features/journals/journals.ts';
import { KeyStoreService } from './features/key-stores/key-store-service.ts';
import { ProjectService } from './features/projects/project-service.ts';
import { RoleService } from './features/roles/role-service.ts';
import { SettingsService } from './features/settings/settings-service.ts';
import { SignIn } from './features/tokens/sign-in.ts';
import { TokenService } from './features/tokens/token-service.ts';
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
  const environments = new EnvironmentService(foundation);
  const services: ManagerServices = {
    ...foundation,
    users,
    roles: new RoleService(foundation),
    guards,
    signIn: new SignIn({ ...foundation, guards, passwords, users }),
    tokens: new TokenService({ ...foundation, users }),
    projects: new ProjectService(foundation),
    environments,
    keyStores: new KeyStoreService('KeyStore', foundation),
    trustStores: new KeyStoreService('TrustStore', foundation),
    environmentVariables: new EnvironmentVariableService({ ...foundation, environments }),
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
