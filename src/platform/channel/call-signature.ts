import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import { fault } from '../../kernel/faults.ts';
import type { Random } from '../../kernel/random.ts';
import type { SecretBox } from '../../kernel/secret-box.ts';

/** The head of a call from module to module. */
export interface InternalCall {
  readonly method: string;
  /** Path and query exactly as sent. */
  readonly target: string;
  /** The environment whose pod is meant: a call to one is nothing to another. */
  readonly environmentId: string;
}

/** `Gatehouse-Channel v1.<milliseconds>.<nonce in hex>.<SHA-256 of the body in hex>.<signature in base64url>`. */
const AUTHORIZATION =
  /^Gatehouse-Channel v1\.(\d{1,15})\.([0-9a-f]{32})\.([0-9a-f]{64})\.([A-Za-z0-9_-]{43})$/;
const NONCE_BYTES = 16;

/** The key that modules of one installation know each other by. */
export function channelKeyOf(secretBox: Pick<SecretBox, 'derivedKey'>): Buffer {
  return secretBox.derivedKey('internal channel v1');
}

export interface CallSigner {
  /** The value of the header field Authorization. */
  sign(call: InternalCall, body: Uint8Array): string;
}

export function createCallSigner(
  key: Buffer,
  { clock, random }: { readonly clock: Clock; readonly random: Pick<Random, 'bytes'> },
): CallSigner {
  return {
    sign: (call, body) => {
      const time = String(clock.now());
      const nonce = random.bytes(NONCE_BYTES).toString('hex');
      const digest = digestOf(body);
      const signature = signatureOf(key, call, time, nonce, digest).toString('base64url');
      return `Gatehouse-Channel v1.${time}.${nonce}.${digest}.${signature}`;
    },
  };
}

/** How far the clocks of two pods may be apart, and how long a call stays valid. */
const WINDOW_MS = 30_000;
/** Only who has the key fills it. When it is full, the next call is refused rather than a nonce forgotten. */
const MOST_NONCES = 100_000;

/** Refuses a body that is not the signed one. */
export type CheckBody = (body: Uint8Array) => void;

/** Takes each call of the channel once, and only from who has the key. */
export class CallVerifier {
  readonly #key: Buffer;
  readonly #clock: Clock;
  /** Nonce → when it may be forgotten; the oldest first. */
  readonly #seen = new Map<string, number>();

  constructor(key: Buffer, clock: Clock) {
    this.#key = key;
    this.#clock = clock;
  }

  /**
   * Decides by the head alone, so that nothing is read from who does not have the key. Throws the fault
   * `channel.refused`, which does not say what was wrong.
   */
  verify(authorization: string | undefined, call: InternalCall): CheckBody {
    const [, time, nonce, digest, signature] = AUTHORIZATION.exec(authorization ?? '') ?? [];
    if (!time || !nonce || !digest || !signature) throw fault('channel.refused');
    const expected = signatureOf(this.#key, call, time, nonce, digest);
    if (!timingSafeEqual(expected, Buffer.from(signature, 'base64url'))) throw fault('channel.refused');
    const now = this.#clock.now();
    if (Math.abs(now - Number(time)) > WINDOW_MS) throw fault('channel.refused');
    this.#forgetOld(now);
    if (this.#seen.has(nonce) || this.#seen.size >= MOST_NONCES) throw fault('channel.refused');
    this.#seen.set(nonce, now + 2 * WINDOW_MS);
    return (body) => {
      if (digestOf(body) !== digest) throw fault('channel.refused');
    };
  }

  #forgetOld(now: number): void {
    for (const [nonce, until] of this.#seen) {
      if (until > now) return;
      this.#seen.delete(nonce);
    }
  }
}

function digestOf(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('hex');
}

function signatureOf(key: Buffer, call: InternalCall, time: string, nonce: string, digest: string): Buffer {
  const { method, target, environmentId } = call;
  // None of the parts can hold a line break, so that no two calls give the same text.
  return createHmac('sha256', key)
    .update(['v1', method, target, environmentId, time, nonce, digest].join('\n'))
    .digest();
}
