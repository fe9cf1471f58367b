import { type Static, Type } from 'typebox';
import { input } from './input.ts';
import { NAME_RULE } from './name.ts';
import { type Permission, permissionActions, permissionCategories, permissionSchema } from './permission.ts';

const members = {
  description: Type.String({ default: '', maxLength: 1000 }),
  permissions: Type.Array(permissionSchema, {
    default: [],
    maxItems: permissionCategories.length * permissionActions.length,
    uniqueItems: true,
  }),
};

/** What a client sends. The name may be left out where the path has it. */
export const roleInput = input(
  { name: Type.Optional(Type.String({ maxLength: 1000, description: NAME_RULE })), ...members },
  { $id: 'RoleInput' },
);
export type RoleInput = Static<typeof roleInput>;

export const roleView = Type.Object(
  {
    name: Type.String(),
    ...members,
    ready: Type.Boolean({ description: 'Whether it belongs to the platform and can not be changed.' }),
  },
  { $id: 'Role' },
);

/** A named set of permissions. Whether it counts everywhere or in one project, its assignment says. */
export interface Role {
  readonly name: string;
  readonly description: string;
  readonly permissions: readonly Permission[];
}

export const ADMINISTRATOR_ROLE = 'admin';

const all: readonly Permission[] = permissionCategories.flatMap((category) =>
  permissionActions.map((action) => ({ category, action })),
);
const operated: readonly string[] = ['API_MANAGEMENT', 'CONNECTIONS', 'SECRETS', 'INTEGRATION'];

/** The roles that every installation has. They are part of the platform and stand in no database. */
export const readyRoles: readonly Role[] = [
  { name: ADMINISTRATOR_ROLE, description: 'May do everything.', permissions: all },
  {
    name: 'operator',
    description: 'Runs proxies, connections and flows; sees the settings.',
    permissions: all.filter(
      ({ category, action }) =>
        operated.includes(category) || (category === 'GLOBAL_SETTINGS' && action === 'VIEW'),
    ),
  },
  {
    name: 'viewer',
    description: 'Sees everything, changes nothing.',
    permissions: all.filter(({ action }) => action === 'VIEW'),
  },
];

export function readyRole(name: string): Role | undefined {
  return readyRoles.find((role) => role.name === name);
}
