import { FOREVER, isLocked, type User } from '../../../model/user.ts';
import type { Stored } from '../../../store/contract.ts';

/** What people are shown of an account. */
export function userViewOf({ id, value }: Stored<User>, now: number) {
  const { name, fullName, email, isEnabled, roles, createdAt, lastSignInAt, lockedUntil } = value;
  const locked = isLocked(value, now);
  return {
    id,
    name,
    fullName,
    email,
    enabled: isEnabled,
    locked,
    ...(locked && lockedUntil !== FOREVER && { lockedUntil: new Date(lockedUntil!).toISOString() }),
    roles,
    createdAt: new Date(createdAt).toISOString(),
    ...(lastSignInAt !== undefined && { lastSignInAt: new Date(lastSignInAt).toISOString() }),
  };
}
