import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';

/** A key that signs tokens, as text that can travel between processes. */
export interface SigningKey {
  readonly kid: string;
  readonly alg: 'RS256' | 'ES256';
  /** PKCS #8 in PEM. */
  readonly privateKey: string;
  /** SubjectPublicKeyInfo in PEM. */
  readonly publicKey: string;
}

const pem = {
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
} as const;
const newKeyPair = promisify(generateKeyPair);

/** Secrets that every process must know alike, made for this run only. */
export class AuthKeys {
  readonly #nonceKey = randomBytes(32).toString('base64');
  #signingKeys: Promise<readonly SigningKey[]> | undefined;

  /** The key that marks nonces as ours; Base64. */
  nonceKey(): string {
    return this.#nonceKey;
  }

  /** Made when first asked for: start-up does not pay for an RSA key that few runs need. */
  signingKeys(): Promise<readonly SigningKey[]> {
    this.#signingKeys ??= makeSigningKeys();
    return this.#signingKeys;
  }
}

async function makeSigningKeys(): Promise<readonly SigningKey[]> {
  const [rsa, ec] = await Promise.all([
    newKeyPair('rsa', { modulusLength: 2048, ...pem }),
    newKeyPair('ec', { namedCurve: 'P-256', ...pem }),
  ]);
  return [
    { kid: 'rsa-1', alg: 'RS256', ...rsa },
    { kid: 'ec-1', alg: 'ES256', ...ec },
  ];
}
