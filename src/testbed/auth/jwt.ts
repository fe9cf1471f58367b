import { createHmac, createPublicKey, sign, timingSafeEqual, verify, type webcrypto } from 'node:crypto';
import type { SigningKey } from '../state/auth-keys.ts';

export type JwtAlgorithm = 'HS256' | 'RS256' | 'ES256';

/** What verification needs to know; HS256 uses the secret, the others the keys. */
export interface JwtKeys {
  readonly secret: string;
  readonly signingKeys: readonly SigningKey[];
}

export interface JwtExpectation {
  readonly nowSeconds: number;
  readonly leewaySeconds: number;
  readonly audience: string | undefined;
  readonly issuer: string | undefined;
}

type Members = Readonly<Record<string, unknown>>;

export interface JwtReading {
  readonly isValid: boolean;
  /** Every rule the token breaks, by the name of the claim or header member it concerns. */
  readonly reasons: readonly string[];
  readonly header: Members | undefined;
  readonly payload: Members | undefined;
}

/** Decodes and verifies a compact JWS (RFC 7515, RFC 7519). It is read to the end, so that every fault is named. */
export function readJwt(token: string, keys: JwtKeys, expected: JwtExpectation): JwtReading {
  const [headerText, payloadText, signatureText, ...rest] = token.split('.');
  const header = membersOf(headerText);
  const payload = membersOf(payloadText);
  if (!header || !payload || signatureText === undefined || rest.length > 0) {
    return { isValid: false, reasons: ['malformed'], header, payload };
  }
  const signed = `${headerText}.${payloadText}`;
  const reasons = [
    ...signatureFaults(header, signed, signatureText, keys),
    ...claimFaults(payload, expected),
  ];
  return { isValid: reasons.length === 0, reasons, header, payload };
}

export function signJwt(algorithm: JwtAlgorithm, payload: Members, keys: JwtKeys): string {
  const key = keys.signingKeys.find(({ alg }) => alg === algorithm);
  const header = { alg: algorithm, typ: 'JWT', ...(key && { kid: key.kid }) };
  const signed = `${encoded(header)}.${encoded(payload)}`;
  const signature = key ? signature256(key, signed) : hmac256(keys.secret, signed);
  return `${signed}.${signature.toString('base64url')}`;
}

/** The public halves as a JWK Set (RFC 7517). */
export function jwkSet(signingKeys: readonly SigningKey[]): { keys: webcrypto.JsonWebKey[] } {
  return {
    keys: signingKeys.map(({ kid, alg, publicKey }) => ({
      ...createPublicKey(publicKey).export({ format: 'jwk' }),
      kid,
      alg,
      use: 'sig',
    })),
  };
}

function signatureFaults(header: Members, signed: string, signatureText: string, keys: JwtKeys): string[] {
  // RFC 7515 §4.1.11: extensions we do not know and must understand.
  if (header.crit !== undefined) return ['crit'];
  if (typeof header.alg === 'string' && header.alg.toLowerCase() === 'none') return ['alg none'];
  const signature = Buffer.from(signatureText, 'base64url');
  // Base64url in its canonical form only, or one token would have many spellings.
  if (signature.toString('base64url') !== signatureText) return ['signature'];
  if (header.alg === 'HS256') {
    const expected = hmac256(keys.secret, signed);
    const isRight = signature.length === expected.length && timingSafeEqual(signature, expected);
    return isRight ? [] : ['signature'];
  }
  const key = keys.signingKeys.find(({ alg }) => alg === header.alg);
  if (!key) return ['alg'];
  if (header.kid !== undefined && header.kid !== key.kid) return ['kid'];
  return isSignedBy(key, signed, signature) ? [] : ['signature'];
}

function claimFaults(payload: Members, expected: JwtExpectation): string[] {
  const { nowSeconds, leewaySeconds, audience, issuer } = expected;
  const faults: string[] = [];
  const isAfter = (claim: unknown, limit: number) => typeof claim === 'number' && claim > limit;
  if (payload.exp !== undefined && !isAfter(payload.exp, nowSeconds - leewaySeconds)) faults.push('exp');
  for (const name of ['nbf', 'iat']) {
    const claim = payload[name];
    if (claim !== undefined && (typeof claim !== 'number' || isAfter(claim, nowSeconds + leewaySeconds))) {
      faults.push(name);
    }
  }
  if (audience !== undefined && ![payload.aud].flat().includes(audience)) faults.push('aud');
  if (issuer !== undefined && payload.iss !== issuer) faults.push('iss');
  return faults;
}

function signature256(key: SigningKey, signed: string): Buffer {
  return sign('sha256', Buffer.from(signed), { key: key.privateKey, dsaEncoding: 'ieee-p1363' });
}

function isSignedBy(key: SigningKey, signed: string, signature: Buffer): boolean {
  return verify('sha256', Buffer.from(signed), { key: key.publicKey, dsaEncoding: 'ieee-p1363' }, signature);
}

function hmac256(secret: string, signed: string): Buffer {
  return createHmac('sha256', secret).update(signed).digest();
}

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** A part of a token as JSON object; undefined when it is none. */
function membersOf(part: string | undefined): Members | undefined {
  if (part === undefined || !/^[A-Za-z0-9_-]+$/.test(part)) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(part, 'base64url'));
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Members)
      : undefined;
  } catch {
    return undefined;
  }
}
