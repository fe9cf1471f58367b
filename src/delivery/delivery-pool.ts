import type { AddressSource } from '../http1/client/client-options.ts';
import { ClientPool } from '../http1/client/client-pool.ts';
import type { PoolSettings } from './delivery-settings.ts';

/**
 * Shorter than what servers usually keep, so that a call seldom meets a connection that is just being closed: such a
 * call could not be repeated safely.
 */
const KEEP_ALIVE_MS = 4000;
/** For so long a target that refused is not knocked at; whoever tries again has to wait longer than that. */
export const REFUSAL_MEMORY_MS = 10;

/** The connections of one webhook connection; nobody else's calls take them away. */
export function openDeliveryPool(settings: PoolSettings, addresses?: AddressSource): ClientPool {
  const { maxPerHost, maxTotal, timeouts, tls } = settings;
  return new ClientPool({
    maxPerHost,
    maxTotal,
    timeouts,
    tls,
    keepAliveMs: KEEP_ALIVE_MS,
    refusalMemoryMs: REFUSAL_MEMORY_MS,
    ...(addresses && { addresses }),
  });
}
