import type { ParameterSet } from '../../../model/connection.ts';
import { placeholderNames } from '../../../model/connection-url.ts';
import {
  type ConnectionContent,
  compileConnection,
  type DeployedStore,
} from '../../../platform/deployment/connection-content.ts';
import type { ConnectionService } from '../connections/connection-service.ts';
import type { EnvironmentVariableService } from '../environment-variables/environment-variable-service.ts';
import { GLOBAL_SCOPE, type KeyStoreService } from '../key-stores/key-store-service.ts';
import type { SettingsService } from '../settings/settings-service.ts';
import type { CompiledObject, ObjectCompiler } from './object-compiler.ts';

export interface ConnectionCompilerOptions {
  readonly connections: Pick<ConnectionService, 'get' | 'parametersFor' | 'references'>;
  readonly keyStores: Pick<KeyStoreService, 'unsealed'>;
  readonly trustStores: Pick<KeyStoreService, 'unsealed'>;
  readonly environmentVariables: Pick<EnvironmentVariableService, 'find' | 'valueIn'>;
  readonly settings: Pick<SettingsService, 'get'>;
}

/** A connection's values for one environment, saved or not. */
export interface GivenConnection {
  readonly name: string;
  /** The project's id, or `global`. */
  readonly scope: string;
  readonly parameters: ParameterSet;
}

/** Gathers what connections refer to, and compiles them. */
export class ConnectionCompiler implements ObjectCompiler {
  readonly type = 'Connection';
  readonly #options: ConnectionCompilerOptions;

  constructor(options: ConnectionCompilerOptions) {
    this.#options = options;
  }

  async compile(connectionId: string, environmentId: string): Promise<CompiledObject | undefined> {
    const { connections } = this.#options;
    const found = await connections.get(connectionId);
    const parameters = found && connections.parametersFor(found, environmentId);
    if (!parameters) return undefined;
    const { name, scope, isEnabled: enabled } = found.value;
    return { enabled, content: await this.contentOf({ name, scope, parameters }, environmentId) };
  }

  async contentOf(
    { name, scope, parameters }: GivenConnection,
    environmentId: string,
  ): Promise<ConnectionContent> {
    const { trustStoreName, keyStoreName, fullUrl } = parameters;
    const { settings } = this.#options;
    const { collectorChannelHeader } = await settings.get('log-delivery');
    return compileConnection({
      name,
      parameters,
      breakerDefaults: await settings.get('connector-circuit-breaker'),
      variables: await this.#variables(placeholderNames(fullUrl), scope, environmentId),
      trustStore: await this.#store('TrustStore', scope, trustStoreName),
      keyStore: await this.#store('KeyStore', scope, keyStoreName),
      collectorChannelHeader,
    });
  }

  async #store(
    type: 'KeyStore' | 'TrustStore',
    scope: string,
    name: string | null,
  ): Promise<DeployedStore | undefined> {
    if (name === null) return undefined;
    const { connections, keyStores, trustStores } = this.#options;
    const found = await connections.references.findStore(type, scope, name);
    if (!found) return undefined;
    const { content, password } = (type === 'KeyStore' ? keyStores : trustStores).unsealed(found);
    return { name, type: found.value.type, content: content.toString('base64'), password };
  }

  /** The project's own first, then those that are there for all projects. */
  async #variables(
    names: readonly string[],
    scope: string,
    environmentId: string,
  ): Promise<Record<string, string>> {
    const { environmentVariables } = this.#options;
    const values: Array<[string, string]> = [];
    for (const name of names) {
      const found =
        (await environmentVariables.find(scope, name)) ??
        (await environmentVariables.find(GLOBAL_SCOPE, name));
      const value = found && environmentVariables.valueIn(found, environmentId);
      if (value !== undefined) values.push([name, value]);
    }
    return Object.fromEntries(values);
  }
}
