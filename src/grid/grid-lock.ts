import type { GridLock, GridMap } from './contract.ts';

/** A lock is an entry that holds its owner's token and expires with the lease; every step is one compare-and-set. */
export async function acquireLock(
  locks: GridMap<string>,
  name: string,
  token: string,
  leaseMs: number,
): Promise<GridLock | undefined> {
  if (!(await locks.compareAndSet(name, undefined, token, { ttlMs: leaseMs }))) return undefined;
  return {
    token,
    renew: (newLeaseMs = leaseMs) => locks.compareAndSet(name, token, token, { ttlMs: newLeaseMs }),
    release: () => locks.compareAndSet(name, token, undefined),
  };
}
