import { type Static, Type } from 'typebox';
import { input } from './input.ts';
import { NAME_RULE } from './name.ts';
import { permissionSchema } from './permission.ts';

export const roleAssignmentSchema = Type.Object(
  {
    role: Type.String({ minLength: 1, maxLength: 100 }),
    project: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'Where it counts; everywhere when left out.',
      }),
    ),
  },
  { $id: 'RoleAssignment', additionalProperties: false },
);
export type RoleAssignment = Static<typeof roleAssignmentSchema>;

const assignments = (options: object = {}) =>
  Type.Array(roleAssignmentSchema, { maxItems: 1000, uniqueItems: true, ...options });

const password = (description: string) => Type.String({ minLength: 8, maxLength: 256, description });

const details = {
  fullName: Type.String({ default: '', maxLength: 200 }),
  email: Type.String({ default: '', maxLength: 320, pattern: '^([^\\s@]+@[^\\s@]+)?$' }),
};

export const newUserInput = input(
  {
    name: Type.String({ maxLength: 1000, description: NAME_RULE }),
    password: password('at least 8 characters'),
    ...details,
    enabled: Type.Boolean({ default: true }),
    roles: assignments({ default: [] }),
  },
  { $id: 'NewUserInput' },
);
export type NewUserInput = Static<typeof newUserInput>;

/** What may be changed of a user by and by; the rest has verbs of its own. */
export const userInput = input(
  { name: Type.Optional(Type.String({ maxLength: 1000, description: NAME_RULE })), ...details },
  { $id: 'UserInput' },
);
export type UserInput = Static<typeof userInput>;

export const userRolesInput = input({ roles: assignments() }, { $id: 'UserRolesInput' });

export const passwordInput = input(
  {
    newPassword: password('at least 8 characters'),
    currentPassword: Type.Optional(
      Type.String({ maxLength: 1000, description: 'Needed by who changes their own.' }),
    ),
  },
  { $id: 'PasswordInput' },
);

const time = (description: string) => Type.Optional(Type.String({ format: 'date-time', description }));

const viewMembers = {
  id: Type.String({ description: '24 hex digits' }),
  name: Type.String(),
  ...details,
  enabled: Type.Boolean(),
  locked: Type.Boolean(),
  lockedUntil: time('Absent when not locked, or locked until somebody unlocks it.'),
  roles: Type.Array(roleAssignmentSchema),
  createdAt: Type.String({ format: 'date-time' }),
  lastSignInAt: time('The last sign-in that succeeded.'),
};

export const userView = Type.Object(viewMembers, { $id: 'User' });

/** What people are shown of themselves. */
export const profileView = Type.Object(
  {
    ...viewMembers,
    grants: Type.Array(
      Type.Object({ ...roleAssignmentSchema.properties, permissions: Type.Array(permissionSchema) }),
      { description: 'What each of the roles gives.' },
    ),
  },
  { $id: 'Profile' },
);

/** As stored; times in milliseconds since the epoch. */
export interface User {
  readonly name: string;
  readonly fullName: string;
  readonly email: string;
  readonly isEnabled: boolean;
  /** In PHC string format. */
  readonly passwordHash: string;
  readonly roles: readonly RoleAssignment[];
  /** Whether the roles make an administrator; the database looks for it. */
  readonly isAdministrator: boolean;
  /**
   * Grows with every change that people make. The document's own revision also grows with sign-ins, which must not
   * come in anybody's way.
   */
  readonly edition: number;
  readonly createdAt: number;
  readonly lastSignInAt?: number;
  /** In a row, since the last success or lock. */
  readonly failedSignIns: number;
  readonly lockedUntil?: number;
}

/** The last moment that a date can name: a lock that no time ends. */
export const FOREVER = 8_640_000_000_000_000;

export function isLocked({ lockedUntil }: Pick<User, 'lockedUntil'>, now: number): boolean {
  return lockedUntil !== undefined && lockedUntil !== null && now < lockedUntil;
}
