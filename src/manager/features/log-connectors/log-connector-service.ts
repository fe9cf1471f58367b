import { fault } from '../../../kernel/faults.ts';
import type { Environment } from '../../../model/environment.ts';
import {
  type ConnectionReference,
  type LogConnectorInput,
  type LogConnectorView,
  type LogKind,
  logConnectorCollection,
  type StoredLogConnector,
} from '../../../model/log-connector.ts';
import type { DeployableObject } from '../../../platform/deployment/object-deployer.ts';
import {
  type Collection,
  DuplicateKey,
  StaleRevision,
  type Store,
  type Stored,
} from '../../../store/contract.ts';
import type { Connection, ConnectionService } from '../connections/connection-service.ts';
import { type ConnectionUsage, LOG_CONNECTOR_USAGE } from '../connections/connection-usages.ts';
import type { EnvironmentService } from '../environments/environment-service.ts';
import { GLOBAL_SCOPE } from '../key-stores/key-store-service.ts';
import type { ProjectService } from '../projects/project-service.ts';

export type LogConnector = Stored<StoredLogConnector>;

export interface LogConnectorServiceOptions {
  readonly store: Store;
  readonly environments: Pick<EnvironmentService, 'all'>;
  readonly projects: Pick<ProjectService, 'require' | 'get'>;
  /** Asked for late: connections want to know who uses them, and log connectors do. */
  readonly connections: () => Pick<ConnectionService, 'require' | 'get' | 'refuseForLogs'>;
}

/** Log connectors: which connection the records of which kind go through, for each environment. */
export class LogConnectorService {
  readonly #options: LogConnectorServiceOptions;
  readonly #collection: Collection<StoredLogConnector>;

  constructor(options: LogConnectorServiceOptions) {
    this.#options = options;
    this.#collection = options.store.collection<StoredLogConnector>(logConnectorCollection);
  }

  /** By kind. */
  in(environmentId: string): Promise<LogConnector[]> {
    return this.#collection.list({ where: { environmentId }, orderBy: { member: 'kind' } });
  }

  find(environmentId: string, kind: LogKind): Promise<LogConnector | undefined> {
    return this.#collection.findOne({ environmentId, kind });
  }

  async require({ id, value }: Stored<Environment>, kind: LogKind): Promise<LogConnector> {
    const found = await this.find(id, kind);
    if (!found) throw fault('log-connector.not-found', { kind, environmentName: value.name });
    return found;
  }

  /** Puts it in the place of the one that is there, if any. */
  async put(
    environment: Stored<Environment>,
    kind: LogKind,
    given: LogConnectorInput,
    expectedRevision: number | undefined,
  ): Promise<{ readonly before?: LogConnector; readonly after: LogConnector }> {
    const value = await this.#checked(environment, kind, given);
    for (;;) {
      const before = await this.find(environment.id, kind);
      refuseOther(before?.revision ?? 0, expectedRevision);
      try {
        return before
          ? { before, after: await this.#collection.replace(before.id, before.revision, value) }
          : { after: await this.#collection.insert(value) };
      } catch (error) {
        // Somebody else came first: look again.
        if (!(error instanceof StaleRevision || error instanceof DuplicateKey)) throw error;
      }
    }
  }

  async remove(
    environment: Stored<Environment>,
    kind: LogKind,
    expectedRevision: number | undefined,
  ): Promise<LogConnector> {
    for (;;) {
      const before = await this.require(environment, kind);
      refuseOther(before.revision, expectedRevision);
      try {
        if (await this.#collection.remove(before.id, before.revision)) return before;
      } catch (error) {
        if (!(error instanceof StaleRevision)) throw error;
      }
    }
  }

  /** Those of an environment that is gone. */
  async forgetEnvironment(environmentId: string): Promise<void> {
    await this.#collection.removeWhere({ environmentId });
  }

  /** Which log connectors stop working when the connection goes. */
  readonly usagesOf = async ({ id }: Pick<Connection, 'id'>): Promise<ConnectionUsage[]> => {
    const [environments, ...found] = await Promise.all([
      this.#options.environments.all(),
      this.#collection.list({ where: { connectionId: id } }),
      this.#collection.list({ where: { failoverConnectionId: id } }),
    ]);
    const users = found.flat().sort((one, other) => (one.value.kind < other.value.kind ? -1 : 1));
    return users.map(({ value: { kind, environmentId } }) => ({
      type: LOG_CONNECTOR_USAGE,
      name: kind,
      environmentName: environments.find((one) => one.id === environmentId)?.value.name,
    }));
  };

  async view({ value }: LogConnector): Promise<LogConnectorView> {
    const { kind, isEnabled: enabled, keepUnsent, connectionId, failoverConnectionId } = value;
    return {
      kind,
      enabled,
      keepUnsent,
      connection: await this.#reference(connectionId),
      ...(failoverConnectionId !== undefined && {
        failoverConnection: await this.#reference(failoverConnectionId),
      }),
    };
  }

  /** The connections that log connectors of an environment name, each once; a fault when one of them is gone. */
  async connectionsIn(environmentId: string): Promise<DeployableObject[]> {
    const connectors = await this.in(environmentId);
    const ids = new Set(
      connectors.flatMap(({ value: { connectionId, failoverConnectionId } }) =>
        failoverConnectionId === undefined ? [connectionId] : [connectionId, failoverConnectionId],
      ),
    );
    return Promise.all(
      [...ids].map(async (id) => {
        const found = await this.#options.connections().get(id);
        if (!found) throw fault('deployment.reference-missing', { type: 'Connection', name: id });
        return { kind: 'connection', id, name: found.value.name } as const;
      }),
    );
  }

  async #checked(
    environment: Stored<Environment>,
    kind: LogKind,
    { connection, failoverConnection, keepUnsent, enabled }: LogConnectorInput,
  ): Promise<StoredLogConnector> {
    const connectionId = await this.#usable(connection, environment);
    const failoverConnectionId = failoverConnection && (await this.#usable(failoverConnection, environment));
    if (connectionId === failoverConnectionId)
      throw fault('log-connector.same-connection', { name: connection.name });
    return {
      environmentId: environment.id,
      kind,
      connectionId,
      ...(failoverConnectionId !== undefined && { failoverConnectionId }),
      keepUnsent,
      isEnabled: enabled,
    };
  }

  /** The id of a connection that can deliver logs in this environment. */
  async #usable(
    { name, projectName }: ConnectionReference,
    environment: Stored<Environment>,
  ): Promise<string> {
    const scope =
      projectName === undefined ? GLOBAL_SCOPE : (await this.#options.projects.require(projectName)).id;
    const connections = this.#options.connections();
    const found = await connections.require(scope, name);
    connections.refuseForLogs(found, environment);
    return found.id;
  }

  async #reference(connectionId: string): Promise<ConnectionReference | null> {
    const found = await this.#options.connections().get(connectionId);
    if (!found) return null;
    const { name, scope } = found.value;
    if (scope === GLOBAL_SCOPE) return { name };
    const project = await this.#options.projects.get(scope);
    return { name, ...(project && { projectName: project.value.name }) };
  }
}

function refuseOther(revision: number, expected: number | undefined): void {
  if (expected !== undefined && expected !== revision) throw fault('revision.stale');
}
