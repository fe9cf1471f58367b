import { type TProperties, Type } from 'typebox';
import type { AccessRule } from '../../../kernel/catalogue/endpoint.ts';
import { fault } from '../../../kernel/faults.ts';
import type { PermissionAction } from '../../../model/permission.ts';
import type { DeployableObject, DeployedBy } from '../../../platform/deployment/object-deployer.ts';
import type { ManagerCall } from '../../endpoint.ts';
import type { ManagerServices } from '../../services.ts';
import { GLOBAL_SCOPE } from '../key-stores/key-store-service.ts';
import type { Connection } from './connection-service.ts';

/** What the entries of connections have in common: those of a project, and those that all projects may use. */
export interface ConnectionPlace {
  /** Before the ids of entries; empty for those of a project. */
  readonly prefix: '' | 'global-';
  readonly base: string;
  /** The same with a project that is there, for examples. */
  readonly examplePath: string;
  /** Ends sentences. */
  readonly whose: string;
  readonly params: TProperties;
  access(action: PermissionAction): AccessRule;
}

export const connectionPlaces: readonly ConnectionPlace[] = [
  {
    prefix: '',
    base: '/apiops/projects/{project}/connections/',
    examplePath: '/apiops/projects/Default/connections/',
    whose: 'of a project',
    params: { project: Type.String() },
    access: (action) => ({ category: 'CONNECTIONS', action, scope: 'project' }),
  },
  {
    prefix: 'global-',
    base: '/apiops/connections/',
    examplePath: '/apiops/connections/',
    whose: 'for all projects',
    params: {},
    access: (action) => ({ category: 'CONNECTIONS', action, scope: 'global' }),
  },
];

export interface ConnectionScope {
  /** The project's id, or `global`. */
  readonly id: string;
  readonly projectName?: string;
}

/** A path without a project means what is there for all of them. */
export async function scopeOf(params: object, { projects }: ManagerServices): Promise<ConnectionScope> {
  if (!('project' in params)) return { id: GLOBAL_SCOPE };
  const { id, value } = await projects.require(String(params.project));
  return { id, projectName: value.name };
}

/** The name in the path. */
export function nameOf(params: object): string {
  return 'name' in params ? String(params.name) : '';
}

/** A permission that not every call of an entry needs. */
export function requirePermission(
  { caller }: Pick<ManagerCall, 'caller'>,
  category: string,
  action: PermissionAction,
  projectName: string | undefined,
): void {
  if (!caller.may(category, action, projectName)) throw fault('permission.denied');
}

/** The connection as the deployer knows it. */
export function deployable({ id, value }: Connection, { projectName }: ConnectionScope): DeployableObject {
  return { kind: 'connection', id, name: value.name, projectName };
}

export function deployedBy({ caller }: Pick<ManagerCall, 'caller'>): DeployedBy {
  return { userName: caller.userName };
}
