import { fault } from '../kernel/faults.ts';
import { StaleRevision, StoreUnavailable } from '../store/contract.ts';

/** Errors of the platform database as every management contract tells them; anything else is returned as it is. */
export function asStoreFault(error: unknown): unknown {
  if (error instanceof StoreUnavailable)
    return fault('store.unavailable', {}, ['Retry-After', '5'], { cause: error });
  if (error instanceof StaleRevision) return fault('revision.stale', {}, [], { cause: error });
  return error;
}
