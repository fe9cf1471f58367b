import { createHash } from 'node:crypto';

/**
 * The channel of one connection in one environment on one pod: the same after a restart, and different wherever one
 * of the three differs. A UUID of version 8 (RFC 9562 §5.8), made from a hash.
 */
export function channelId(connectionId: string, environmentName: string, podName: string): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([connectionId, environmentName, podName]))
    .digest();
  hash[6] = (hash[6]! & 0x0f) | 0x80;
  hash[8] = (hash[8]! & 0x3f) | 0x80;
  return hash.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
