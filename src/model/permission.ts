import { type Static, Type } from 'typebox';

/** What permissions are about. */
export const permissionCategories = [
  'API_MANAGEMENT',
  'CONNECTIONS',
  'SECRETS',
  'IDENTITY',
  'INTEGRATION',
  'GLOBAL_SETTINGS',
] as const;
export type PermissionCategory = (typeof permissionCategories)[number];

export const permissionActions = ['VIEW', 'MANAGE', 'DEPLOY_UNDEPLOY', 'EXPORT_IMPORT'] as const;
export type PermissionAction = (typeof permissionActions)[number];

export const permissionSchema = Type.Object(
  {
    category: Type.Unsafe<PermissionCategory>({ type: 'string', enum: permissionCategories }),
    action: Type.Unsafe<PermissionAction>({ type: 'string', enum: permissionActions }),
  },
  { $id: 'Permission', additionalProperties: false },
);
export type Permission = Static<typeof permissionSchema>;

/** Whether the permission is among the given ones. Who may do anything with a category may view it. */
export function includesPermission(
  granted: readonly Permission[],
  category: string,
  action: string,
): boolean {
  return granted.some(
    (permission) => permission.category === category && (permission.action === action || action === 'VIEW'),
  );
}
