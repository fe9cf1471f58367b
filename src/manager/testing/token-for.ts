import type { RoleAssignment } from '../../model/user.ts';
import type { ManagerServices } from '../services.ts';

/** A token of a new user who has the given roles. */
export async function tokenFor(
  { users, tokens }: Pick<ManagerServices, 'users' | 'tokens'>,
  name: string,
  roles: readonly RoleAssignment[],
): Promise<string> {
  const user = await users.create({
    name,
    password: 'a password for tests',
    fullName: '',
    email: '',
    enabled: true,
    roles: [...roles],
  });
  return (await tokens.issueAtSignIn(user.id, undefined)).value;
}
