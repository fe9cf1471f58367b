import { createHash } from 'node:crypto';

/** The digest algorithms we speak; SHA-512 is httpbin's own addition to RFC 7616. */
export const digestAlgorithms = [
  'MD5',
  'MD5-sess',
  'SHA-256',
  'SHA-256-sess',
  'SHA-512',
  'SHA-512-sess',
  'SHA-512-256',
  'SHA-512-256-sess',
] as const;

export type DigestAlgorithm = (typeof digestAlgorithms)[number];
export type Qop = 'auth' | 'auth-int';

const hashNames: Readonly<Record<string, string>> = {
  MD5: 'md5',
  'SHA-256': 'sha256',
  'SHA-512': 'sha512',
  'SHA-512-256': 'sha512-256',
};

/** The algorithm a name stands for, whatever its casing. */
export function digestAlgorithmOf(name: string): DigestAlgorithm | undefined {
  return digestAlgorithms.find((algorithm) => algorithm.toLowerCase() === name.toLowerCase());
}

export function newDigestHash(algorithm: DigestAlgorithm) {
  return createHash(hashNames[algorithm.replace('-sess', '')]!);
}

function hashed(algorithm: DigestAlgorithm, ...pieces: string[]): string {
  return newDigestHash(algorithm).update(pieces.join(':')).digest('hex');
}

export interface DigestInput {
  readonly algorithm: DigestAlgorithm;
  readonly user: string;
  readonly realm: string;
  readonly password: string;
  /** Empty for the proof of the server (`rspauth`), RFC 7616 §3.5. */
  readonly method: string;
  readonly uri: string;
  readonly nonce: string;
  /** Absent in the form of RFC 2069, which has neither cnonce nor nc. */
  readonly qop: Qop | undefined;
  readonly cnonce: string;
  /** Eight hex digits, as sent. */
  readonly nc: string;
  /** Hash of the content, for `auth-int`. */
  readonly bodyHash: string;
}

/** The `response` of RFC 7616 §3.4.1, and with an empty method the `rspauth` of §3.5. */
export function digestResponse(input: DigestInput): string {
  const { algorithm, nonce, qop, cnonce, nc } = input;
  const secret = sessionKey(input);
  const target = hashed(algorithm, ...targetPieces(input));
  if (qop === undefined) return hashed(algorithm, secret, nonce, target);
  return hashed(algorithm, secret, nonce, nc, cnonce, qop, target);
}

/** RFC 7616 §3.4.4: what a client sends for its name when it asks for `userhash`. */
export function hashedUser(algorithm: DigestAlgorithm, user: string, realm: string): string {
  return hashed(algorithm, user, realm);
}

function sessionKey({ algorithm, user, realm, password, nonce, cnonce }: DigestInput): string {
  const key = hashed(algorithm, user, realm, password);
  return algorithm.endsWith('-sess') ? hashed(algorithm, key, nonce, cnonce) : key;
}

function targetPieces({ method, uri, qop, bodyHash }: DigestInput): string[] {
  return qop === 'auth-int' ? [method, uri, bodyHash] : [method, uri];
}
