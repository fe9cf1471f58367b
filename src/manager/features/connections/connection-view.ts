import type { StoredConnection } from '../../../model/connection-document.ts';
import { maskedParameters } from '../../../model/connection-secrets.ts';
import type { DeploymentStatus } from '../../../platform/deployment/object-deployer.ts';
import type { ManagerCall } from '../../endpoint.ts';
import { GLOBAL_SCOPE } from '../key-stores/key-store-service.ts';
import { type ConnectionScope, deployable } from './connection-calls.ts';
import type { Connection } from './connection-service.ts';

type Viewer = Pick<ManagerCall, 'caller' | 'services'>;

/** As anybody may see it who may see connections. */
export async function viewOf({ caller, services }: Viewer, connection: Connection) {
  const showsIds = caller.may('GLOBAL_SETTINGS', 'MANAGE');
  return describe(connection, await environmentNames(services), showsIds);
}

/** With how it stands in every environment. */
export async function wholeViewOf(viewer: Viewer, connection: Connection, scope: ConnectionScope) {
  const [view, statuses] = await Promise.all([
    viewOf(viewer, connection),
    viewer.services.deployer.statuses(deployable(connection, scope)),
  ]);
  return { ...view, deploymentList: statuses.map(withoutId) };
}

export async function viewsOf({ caller, services }: Viewer, connections: readonly Connection[]) {
  const showsIds = caller.may('GLOBAL_SETTINGS', 'MANAGE');
  const names = await environmentNames(services);
  return connections.map((connection) => describe(connection, names, showsIds));
}

/** As the audit journal keeps it: without the ids of environments, which are credentials (spec 2 §5). */
export async function auditedViewOf(services: ManagerCall['services'], connection: Connection) {
  return describe(connection, await environmentNames(services), false);
}

export async function environmentNames({
  environments,
}: ManagerCall['services']): Promise<Map<string, string>> {
  return new Map((await environments.all()).map(({ id, value }) => [id, value.name]));
}

function describe({ id, value }: Connection, names: ReadonlyMap<string, string>, showsIds: boolean) {
  const { type, name, description, isEnabled, scope } = value;
  return {
    id,
    type,
    name,
    description,
    enabled: isEnabled,
    global: scope === GLOBAL_SCOPE,
    environmentParameterList: parameterSetsOf(value, names).map(({ environmentId, ...set }) => ({
      environmentName: set.environmentName,
      ...(showsIds && { environmentId }),
      ...set.parameters,
    })),
  };
}

/** The masked sets by the names of their environments. Sets of environments that are gone are not shown. */
export function parameterSetsOf({ parameterSets }: StoredConnection, names: ReadonlyMap<string, string>) {
  return parameterSets
    .flatMap(({ environmentId, parameters }) => {
      const environmentName = names.get(environmentId);
      if (environmentName === undefined) return [];
      return [{ environmentName, environmentId, parameters: maskedParameters(parameters) }];
    })
    .sort((one, other) => (one.environmentName < other.environmentName ? -1 : 1));
}

function withoutId({ environmentId: _, ...status }: DeploymentStatus) {
  return status;
}
