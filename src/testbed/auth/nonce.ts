import { createHmac, timingSafeEqual } from 'node:crypto';

const STAMP_BYTES = 6;
const RANDOM_BYTES = 10;
const BODY_BYTES = STAMP_BYTES + RANDOM_BYTES;
const MAC_BYTES = 16;

export const NONCE_LIFETIME_MS = 5 * 60_000;

/**
 * A nonce that any process holding the key can check without having seen it: when it was made, something random,
 * and a MAC over both and the realm.
 */
export function makeNonce(key: Buffer, realm: string, nowMs: number, random: Buffer): string {
  const body = Buffer.alloc(BODY_BYTES);
  body.writeUIntBE(nowMs, 0, STAMP_BYTES);
  random.copy(body, STAMP_BYTES, 0, RANDOM_BYTES);
  return Buffer.concat([body, macOf(key, realm, body)]).toString('base64url');
}

export const NONCE_RANDOM_BYTES = RANDOM_BYTES;

/** True for a nonce of ours that is still young enough. */
export function isLiveNonce(key: Buffer, realm: string, nowMs: number, nonce: string): boolean {
  const bytes = Buffer.from(nonce, 'base64url');
  if (bytes.length !== BODY_BYTES + MAC_BYTES || bytes.toString('base64url') !== nonce) return false;
  const body = bytes.subarray(0, BODY_BYTES);
  if (!timingSafeEqual(bytes.subarray(BODY_BYTES), macOf(key, realm, body))) return false;
  const ageMs = nowMs - body.readUIntBE(0, STAMP_BYTES);
  return ageMs >= 0 && ageMs <= NONCE_LIFETIME_MS;
}

function macOf(key: Buffer, realm: string, body: Buffer): Buffer {
  return createHmac('sha256', key).update(realm).update('\0').update(body).digest().subarray(0, MAC_BYTES);
}
