import { fault } from '../../../kernel/faults.ts';
import type { SecretBox } from '../../../kernel/secret-box.ts';
import { completeParameters, type ParameterInput, type ParameterSet } from '../../../model/connection.ts';
import {
  type ConnectionChange,
  type ConnectionInput,
  connectionCollection,
  type StoredConnection,
} from '../../../model/connection-document.ts';
import { canDeliverLogs } from '../../../model/connection-rules.ts';
import { missingSecrets } from '../../../model/connection-secrets.ts';
import type { Environment } from '../../../model/environment.ts';
import {
  type Collection,
  DEFAULT_LIMIT,
  type Filter,
  type ListQuery,
  type Store,
  type Stored,
} from '../../../store/contract.ts';
import { newId } from '../../../store/new-id.ts';
import { type Changed, type DocumentPage, NamedDocuments } from '../../resources/named-documents.ts';
import { refuseRename } from '../../resources/names.ts';
import type { EnvironmentService } from '../environments/environment-service.ts';
import { GLOBAL_SCOPE } from '../key-stores/key-store-service.ts';
import {
  checkedConnectionName,
  mergedParameters,
  parametersIn,
  refuseBrokenRules,
  storedParameters,
} from './connection-parameters.ts';
import { ConnectionReferences, type ReferredServices } from './connection-references.ts';
import { ConnectionSafe } from './connection-safe.ts';
import {
  type ConnectionUsage,
  type ConnectionUsageSource,
  LOG_CONNECTOR_USAGE,
  usageText,
} from './connection-usages.ts';

interface Dependencies extends ReferredServices {
  readonly store: Store;
  readonly secretBox: SecretBox;
  readonly environments: EnvironmentService;
  readonly usageSources: readonly ConnectionUsageSource[];
}

export type Connection = Stored<StoredConnection>;

/** The environment that somebody named; one of the two suffices. */
export interface NamedEnvironment {
  readonly environmentName?: string | undefined;
  readonly environmentId?: string | undefined;
}

/** Webhook connections: one document each, with one set of parameters for each environment; secrets are sealed. */
export class ConnectionService {
  /** What a project that has some is said to have. */
  readonly kind = 'connections';
  readonly references: ConnectionReferences;
  readonly #safe: ConnectionSafe;
  readonly #dependencies: Dependencies;
  readonly #collection: Collection<StoredConnection>;
  readonly #documents: NamedDocuments<StoredConnection>;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.references = new ConnectionReferences(dependencies);
    this.#safe = new ConnectionSafe(dependencies.secretBox);
    this.#collection = dependencies.store.collection<StoredConnection>(connectionCollection);
    this.#documents = new NamedDocuments(this.#collection, {
      notFound: (name) => fault('connection.not-found', { name }),
      exists: (name) => fault('connection.exists', { name }),
    });
  }

  readonly count = (scope: string): Promise<number> => this.#collection.count({ scope });

  page(scope: string, query: ListQuery<StoredConnection>): Promise<DocumentPage<StoredConnection>> {
    return this.#documents.page({ ...query, where: { scope } });
  }

  find(scope: string, name: string): Promise<Connection | undefined> {
    return this.#documents.find(name, { scope });
  }

  require(scope: string, name: string): Promise<Connection> {
    return this.#documents.require(name, { scope });
  }

  get(id: string): Promise<Connection | undefined> {
    return this.#collection.get(id);
  }

  async create(scope: string, name: string, given: ConnectionInput): Promise<Connection> {
    const checked = checkedConnectionName(name);
    refuseRename(name, given.name);
    const environment = await this.environmentOf(given);
    const set = completeParameters(parametersIn(given) as ParameterInput);
    await this.checkParameters(scope, set, []);
    const id = newId();
    const { type, description, enabled: isEnabled } = given;
    const parameterSets = [
      { environmentId: environment.id, parameters: this.#safe.seal(id, environment.id, set) },
    ];
    return this.#documents.create({ scope, name: checked, type, description, isEnabled, parameterSets }, id);
  }

  /** What is left out stays as it is; the sets of other environments are not touched. */
  async update(
    scope: string,
    name: string,
    change: ConnectionChange,
    expectedRevision: number | undefined,
  ): Promise<Changed<StoredConnection>> {
    const newName = change.name === undefined ? name : checkedConnectionName(change.name);
    const isNamed = change.environmentName !== undefined || change.environmentId !== undefined;
    const hasParameters = Object.keys(parametersIn(change)).length > 0;
    const environment = isNamed || hasParameters ? await this.environmentOf(change) : undefined;
    return this.#documents.update(
      name,
      expectedRevision,
      async (before) => ({
        ...before.value,
        name: newName,
        description: change.description ?? before.value.description,
        isEnabled: change.enabled ?? before.value.isEnabled,
        ...(environment && {
          parameterSets: await this.#changedSets(before, environment.id, parametersIn(change)),
        }),
      }),
      { scope },
    );
  }

  setEnabled(
    scope: string,
    name: string,
    isEnabled: boolean,
    expectedRevision: number | undefined,
  ): Promise<Changed<StoredConnection>> {
    return this.#documents.update(name, expectedRevision, ({ value }) => ({ ...value, isEnabled }), {
      scope,
    });
  }

  /** From a project to all of them. What it refers to must be there for all of them, too. */
  moveToGlobal(
    scope: string,
    name: string,
    expectedRevision: number | undefined,
  ): Promise<Changed<StoredConnection>> {
    return this.#documents.update(
      name,
      expectedRevision,
      async (before) => {
        for (const { environmentId } of before.value.parameterSets)
          await this.references.refuseProjectOwn(
            before.value,
            this.#safe.openReadable(before, environmentId)!,
          );
        return { ...before.value, scope: GLOBAL_SCOPE };
      },
      { scope },
    );
  }

  /** Puts a whole connection, already checked, in the place of one that is there. */
  replace(
    scope: string,
    name: string,
    make: (before: Connection) => StoredConnection,
  ): Promise<Changed<StoredConnection>> {
    return this.#documents.update(
      name,
      undefined,
      async (before) => {
        const after = make(before);
        for (const { environmentId, parameters } of after.parameterSets)
          await this.#refuseWithoutBody(before, environmentId, parameters);
        return after;
      },
      { scope },
    );
  }

  insert(value: StoredConnection, id: string): Promise<Connection> {
    return this.#documents.create(value, id);
  }

  /** `withdraw` takes it from the pods that have it. What cannot be withdrawn is not removed. */
  remove(
    scope: string,
    name: string,
    options: {
      readonly expectedRevision: number | undefined;
      readonly isForced: boolean;
      readonly withdraw: (connection: Connection) => Promise<void>;
    },
  ): Promise<Connection> {
    return this.#documents.remove(name, options.expectedRevision, { scope }, async (connection) => {
      const usages = options.isForced ? [] : await this.usagesOf(connection);
      if (usages.length > 0) throw fault('connection.in-use', { name, users: usageText(usages) });
      await options.withdraw(connection);
    });
  }

  async usagesOf(connection: Connection): Promise<ConnectionUsage[]> {
    const { usageSources } = this.#dependencies;
    return (await Promise.all(usageSources.map((source) => source(connection)))).flat();
  }

  /** The connections that would be left without a store: those of its project, or of all that have none of that name. */
  async namesUsing(
    type: 'KeyStore' | 'TrustStore',
    storeScope: string,
    storeName: string,
  ): Promise<string[]> {
    const member = type === 'KeyStore' ? 'keyStoreName' : 'trustStoreName';
    const names: string[] = [];
    for await (const { value } of this.#all(storeScope === GLOBAL_SCOPE ? {} : { scope: storeScope })) {
      const isNamed = value.parameterSets.some(({ parameters }) => parameters[member] === storeName);
      const found = isNamed && (await this.references.findStore(type, value.scope, storeName));
      if (found && found.value.scope === storeScope) names.push(`Connection (name: ${value.name})`);
    }
    return names;
  }

  /** Its values in an environment, secrets included; undefined when it has none there. */
  parametersFor(connection: Connection, environmentId: string): ParameterSet | undefined {
    return this.#safe.open(connection, environmentId);
  }

  /** An import leaves secrets behind: they have to be given before the connection can be used. */
  refuseMissingSecrets({ value }: Connection, environment: Stored<Environment>): void {
    const stored = storedParameters(value, environment.id);
    const missing = stored ? missingSecrets(stored) : [];
    if (missing.length === 0) return;
    const values = { name: value.name, members: missing.join(', '), environmentName: environment.value.name };
    throw fault('connection.secrets-missing', values);
  }

  /** For whoever lets a connection deliver logs in an environment: records need a method that carries a body. */
  refuseForLogs({ value }: Connection, environment: Stored<Environment>): void {
    const environmentName = environment.value.name;
    const { name } = value;
    const stored = storedParameters(value, environment.id);
    if (!stored) throw fault('deployment.no-parameters', { type: 'Connection', name, environmentName });
    const { httpMethod } = stored;
    if (!canDeliverLogs(stored))
      throw fault('connection.method-without-body', { name, httpMethod, environmentName });
  }

  /** By name or by id; one of them must be there, and where both are they must agree. */
  async environmentOf({ environmentName, environmentId }: NamedEnvironment): Promise<Stored<Environment>> {
    if (!environmentName && !environmentId) throw fault('connection.environment-empty');
    const found = (await this.#dependencies.environments.all()).find(
      ({ id, value }) =>
        (environmentId === undefined || id === environmentId) &&
        (environmentName === undefined || value.name === environmentName),
    );
    if (!found) throw fault('environment.not-found', { name: environmentName ?? environmentId });
    return found;
  }

  /** Parameters that are tried without being saved: over those of the connection, if there is one. */
  async parametersToTry(
    scope: string,
    environment: Stored<Environment>,
    given: Partial<ParameterInput>,
    connection?: Connection,
  ): Promise<ParameterSet> {
    const stored = connection && this.#safe.openReadable(connection, environment.id);
    if (connection && Object.keys(given).length === 0) this.refuseMissingSecrets(connection, environment);
    const set = mergedParameters(given, stored);
    await this.checkParameters(scope, set, []);
    return set;
  }

  /** Everything that the schema can not say: rules of the values, and whether what they refer to is there. */
  async checkParameters(scope: string, set: ParameterSet, knownMissing: readonly string[]): Promise<void> {
    refuseBrokenRules(set, knownMissing);
    await this.references.refuseMissing(scope, set);
  }

  async #changedSets(
    before: Connection,
    environmentId: string,
    given: Partial<ParameterInput>,
  ): Promise<StoredConnection['parameterSets']> {
    const { scope, parameterSets } = before.value;
    const stored = storedParameters(before.value, environmentId);
    const set = mergedParameters(given, this.#safe.openReadable(before, environmentId));
    await this.checkParameters(scope, set, stored ? missingSecrets(stored) : []);
    await this.#refuseWithoutBody(before, environmentId, set);
    const parameters = this.#safe.seal(before.id, environmentId, set);
    return stored
      ? parameterSets.map((one) =>
          one.environmentId === environmentId ? { environmentId, parameters } : one,
        )
      : [...parameterSets, { environmentId, parameters }];
  }

  /** Log connectors that use it already would have nothing to send their records with. */
  async #refuseWithoutBody(
    connection: Connection,
    environmentId: string,
    parameters: Pick<ParameterSet, 'httpMethod'>,
  ): Promise<void> {
    if (canDeliverLogs(parameters)) return;
    const usages = await this.usagesOf(connection);
    const users = new Set(
      usages.filter(({ type }) => type === LOG_CONNECTOR_USAGE).map(({ environmentName }) => environmentName),
    );
    const environments = users.size > 0 ? await this.#dependencies.environments.all() : [];
    const found = environments.find(({ id, value }) => id === environmentId && users.has(value.name));
    if (!found) return;
    const values = { name: connection.value.name, environmentName: found.value.name };
    throw fault('connection.method-without-body', { ...values, httpMethod: parameters.httpMethod });
  }

  async *#all(where: Filter<StoredConnection>): AsyncGenerator<Connection> {
    for (let after = ''; ; ) {
      const page = await this.#collection.list({
        where: { ...where, id: { above: after } },
        orderBy: { member: 'id' },
      });
      yield* page;
      if (page.length < DEFAULT_LIMIT) return;
      after = page.at(-1)!.id;
    }
  }
}
