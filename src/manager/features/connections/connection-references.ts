import { fault } from '../../../kernel/faults.ts';
import type { ParameterSet } from '../../../model/connection.ts';
import type { StoredConnection } from '../../../model/connection-document.ts';
import { placeholderNames } from '../../../model/connection-url.ts';
import type { EnvironmentVariableService } from '../environment-variables/environment-variable-service.ts';
import { GLOBAL_SCOPE, type KeyStoreService } from '../key-stores/key-store-service.ts';

export interface ReferredServices {
  readonly keyStores: KeyStoreService;
  readonly trustStores: KeyStoreService;
  readonly environmentVariables: Pick<EnvironmentVariableService, 'find'>;
}

/** What the parameters of connections refer to by name: key stores, trust stores, environment variables. */
export class ConnectionReferences {
  readonly #services: ReferredServices;

  constructor(services: ReferredServices) {
    this.#services = services;
  }

  /** The project's own store first, then one that is there for all projects. */
  async findStore(type: 'KeyStore' | 'TrustStore', scope: string, name: string) {
    const { keyStores, trustStores } = this.#services;
    const stores = type === 'KeyStore' ? keyStores : trustStores;
    return (await stores.find(scope, name)) ?? (await stores.find(GLOBAL_SCOPE, name));
  }

  async refuseMissing(scope: string, { trustStoreName, keyStoreName }: ParameterSet): Promise<void> {
    if (trustStoreName !== null && !(await this.findStore('TrustStore', scope, trustStoreName)))
      throw fault('connection.reference-missing', { type: 'TrustStore', name: trustStoreName });
    if (keyStoreName !== null && !(await this.findStore('KeyStore', scope, keyStoreName)))
      throw fault('connection.reference-missing', { type: 'KeyStore', name: keyStoreName });
  }

  /**
   * For a connection that leaves its project: what is the project's own would no longer be found, or another of the same name
   * would be taken for it.
   */
  async refuseProjectOwn({ scope, name }: StoredConnection, set: ParameterSet): Promise<void> {
    const { keyStores, trustStores, environmentVariables } = this.#services;
    const references = [
      { type: 'TrustStore', names: [set.trustStoreName], among: trustStores },
      { type: 'KeyStore', names: [set.keyStoreName], among: keyStores },
      { type: 'EnvironmentVariable', names: placeholderNames(set.fullUrl), among: environmentVariables },
    ];
    for (const { type, names, among } of references)
      for (const referenceName of names)
        if (referenceName !== null && (await among.find(scope, referenceName)))
          throw fault('connection.not-movable', { name, type, referenceName });
  }
}
