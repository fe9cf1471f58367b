import type { PoolUsage } from '../../http1/client/client-options.ts';
import { ClientPool } from '../../http1/client/client-pool.ts';
import type { Pod } from '../../store/pods.ts';
import { GridUnavailable } from '../contract.ts';
import {
  GRID_OPERATIONS_PATH,
  MOST_ANSWERED_BYTES,
  MOST_OPERATIONS,
  type WireBatch,
  type WireResult,
} from './wire.ts';

/** Sends a batch to a Cache pod; resolves with as many results as there are operations. */
export interface CacheCaller {
  call(pod: Pod, batch: WireBatch): Promise<WireResult[]>;
  usage(): PoolUsage;
  close(): Promise<void>;
}

const MOST_CONNECTIONS = 8;
/** Values, a last one that went over the bound, and what stands around them. */
const MOST_BODY_BYTES = MOST_ANSWERED_BYTES * 2 + MOST_OPERATIONS * 4096;

export function createCacheCaller(deadlineMs: number): CacheCaller {
  const timeouts = {
    acquireMs: deadlineMs,
    connectMs: deadlineMs,
    writeMs: deadlineMs,
    responseMs: deadlineMs,
    idleMs: deadlineMs,
  };
  const pool = new ClientPool({ maxPerHost: MOST_CONNECTIONS, maxTotal: MOST_CONNECTIONS * 2, timeouts });
  return {
    call: async (pod, batch) => {
      const { status, body, isBodyCut } = await pool.send(
        {
          origin: originOf(pod.address),
          method: 'POST',
          target: GRID_OPERATIONS_PATH,
          headers: ['Authorization', pod.environmentId ?? '', 'Content-Type', 'application/json'],
          body: Buffer.from(JSON.stringify(batch)),
        },
        { maxBodyBytes: MOST_BODY_BYTES, signal: AbortSignal.timeout(deadlineMs) },
      );
      if (status !== 200 || isBodyCut) throw new Error(`the Cache answered ${status}`);
      return resultsOf(body, batch.operations.length);
    },
    usage: () => pool.usage(),
    close: () => pool.close(),
  };
}

function originOf(address: string) {
  const { hostname, port } = new URL(address);
  return { protocol: 'http:' as const, host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80) };
}

/** A pod of another release may answer anything. */
function resultsOf(body: Buffer, count: number): WireResult[] {
  const { results } = JSON.parse(body.toString()) as { results?: WireResult[] };
  if (!Array.isArray(results) || results.length !== count)
    throw new GridUnavailable({ cause: new Error('the Cache answered something else') });
  return results;
}
