import { includesPermission, type Permission } from '../../model/permission.ts';

/** Who sent a request, and what they may do. */
export interface Caller {
  readonly userId: string;
  readonly userName: string;
  /** The token that the request came with; undefined for who came without. */
  readonly tokenId: string | undefined;
  /** Where the request came from, for the journals. */
  readonly sourceAddress: string;
  /** Whether a role gives the permission: over everything, or (with a name) in that project. */
  may(category: string, action: string, projectName?: string): boolean;
  /** The projects in which the caller has any permission. */
  readonly projects: 'all' | readonly string[];
}

/** What one role gives: everywhere, or in one project. */
export interface Grant {
  readonly project: string | undefined;
  readonly permissions: readonly Permission[];
}

export interface CallerIdentity {
  readonly userId: string;
  readonly userName: string;
  readonly tokenId: string;
  readonly sourceAddress: string;
}

export function createCaller(identity: CallerIdentity, grants: readonly Grant[]): Caller {
  return {
    ...identity,
    may: (category, action, projectName) => isGranted(grants, category, action, projectName),
    projects: projectsOf(grants),
  };
}

/** Who uses what is open to everybody. */
export function anonymousCaller(sourceAddress: string): Caller {
  return {
    userId: '',
    userName: '',
    tokenId: undefined,
    sourceAddress,
    may: () => false,
    projects: [],
  };
}

/** Nobody hands on, or takes over, more than they have themselves. */
export function mayAllOf(caller: Caller, grants: readonly Grant[]): boolean {
  return grants.every(({ project, permissions }) =>
    permissions.every(({ category, action }) => caller.may(category, action, project)),
  );
}

function isGranted(
  grants: readonly Grant[],
  category: string,
  action: string,
  projectName: string | undefined,
): boolean {
  return grants.some(
    ({ project, permissions }) =>
      (project === undefined || project === projectName) && includesPermission(permissions, category, action),
  );
}

function projectsOf(grants: readonly Grant[]): 'all' | readonly string[] {
  const effective = grants.filter(({ permissions }) => permissions.length > 0);
  if (effective.some(({ project }) => project === undefined)) return 'all';
  return [...new Set(effective.map(({ project }) => project!))];
}
