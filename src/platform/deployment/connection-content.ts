import { fault } from '../../kernel/faults.ts';
import type { BreakerDefaults, ParameterSet } from '../../model/connection.ts';
import { placeholderNames } from '../../model/connection-url.ts';
import type { KeyStoreType } from '../../model/key-store.ts';

/** A key store or trust store with what opens it. */
export interface DeployedStore {
  readonly name: string;
  readonly type: KeyStoreType;
  /** The file in Base64. */
  readonly content: string;
  readonly password: string;
}

/** A connection as its pods get it: everything that its engine is made of, and nothing else. */
export interface ConnectionContent {
  readonly name: string;
  readonly parameters: ParameterSet;
  readonly breakerDefaults: BreakerDefaults;
  /** Of the environment: those that the address names. */
  readonly variables: Readonly<Record<string, string>>;
  readonly trustStore: DeployedStore | null;
  readonly keyStore: DeployedStore | null;
  /** Of the installation; null where no event collector is called. */
  readonly collectorChannelHeader: string | null;
}

/** What a connection is compiled of: its own values, and what they refer to. */
export interface ConnectionParts {
  readonly name: string;
  readonly parameters: ParameterSet;
  readonly breakerDefaults: BreakerDefaults;
  /** Those that the connection may use, with their values in the environment. */
  readonly variables: Readonly<Record<string, string>>;
  /** The stores that the parameters name, as far as they were found. */
  readonly trustStore: DeployedStore | undefined;
  readonly keyStore: DeployedStore | undefined;
  readonly collectorChannelHeader: string;
}

/** What is deployed of a connection. It stays as it is, whatever becomes of what it refers to. */
export function compileConnection(parts: ConnectionParts): ConnectionContent {
  const { name, parameters, breakerDefaults, variables, trustStore, keyStore } = parts;
  return {
    name,
    parameters,
    breakerDefaults,
    variables: namedIn(parameters.fullUrl, variables),
    trustStore: referenced('TrustStore', parameters.trustStoreName, trustStore),
    keyStore: referenced('KeyStore', parameters.keyStoreName, keyStore),
    collectorChannelHeader: parameters.eventCollectorEnabled ? parts.collectorChannelHeader : null,
  };
}

/** A placeholder without a variable stays: what is delivered may fill it, or it is an error before any contact. */
function namedIn(fullUrl: string, variables: Readonly<Record<string, string>>): Record<string, string> {
  const names = placeholderNames(fullUrl).filter((name) => Object.hasOwn(variables, name));
  return Object.fromEntries(names.toSorted().map((name) => [name, variables[name]!]));
}

function referenced(
  type: 'KeyStore' | 'TrustStore',
  name: string | null,
  found: DeployedStore | undefined,
): DeployedStore | null {
  if (name === null) return null;
  if (!found) throw fault('deployment.reference-missing', { type, name });
  return found;
}
