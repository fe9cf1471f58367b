// Key pairs of every kind that the test authority issues certificates for.
//   keyKinds        what there is, with the parameters of node:crypto
//   generateKeySync one pair, at once; makeKeys of key-factory.ts makes many in threads
//   keyPairOf       the pair of a private key, such as one read from a file
//   keyIdentifier   SHA-1 of the public key, as certificates and revocation lists name their issuer

import { createHash, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { DerFields, derTags } from './der-reader.ts';

export interface KeyPair {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

export const keyKinds = {
  'rsa-512': { type: 'rsa', options: { modulusLength: 512 } },
  'rsa-1024': { type: 'rsa', options: { modulusLength: 1024 } },
  'rsa-2048': { type: 'rsa', options: { modulusLength: 2048 } },
  'rsa-3072': { type: 'rsa', options: { modulusLength: 3072 } },
  'rsa-4096': { type: 'rsa', options: { modulusLength: 4096 } },
  'p-256': { type: 'ec', options: { namedCurve: 'P-256' } },
  'p-384': { type: 'ec', options: { namedCurve: 'P-384' } },
  'p-521': { type: 'ec', options: { namedCurve: 'P-521' } },
  ed25519: { type: 'ed25519', options: {} },
  ed448: { type: 'ed448', options: {} },
  dsa: { type: 'dsa', options: { modulusLength: 2048, divisorLength: 256 } },
  'ml-dsa-65': { type: 'ml-dsa-65', options: {} },
} as const;

export type KeyKind = keyof typeof keyKinds;

/** The overloads of Node have one signature a type, so a type that is data needs one that takes them all. */
type Generate = (type: string, options: object) => KeyPair;

export function generateKeySync(kind: KeyKind): KeyPair {
  const { type, options } = keyKinds[kind];
  return (generateKeyPairSync as Generate)(type, options);
}

export function keyPairOf(privateKey: KeyObject): KeyPair {
  return { privateKey, publicKey: createPublicKey(privateKey) };
}

/** SubjectPublicKeyInfo as it stands in a certificate. */
export function publicKeyInfo(publicKey: KeyObject): Buffer {
  return publicKey.export({ type: 'spki', format: 'der' });
}

/** SHA-1 of the public key without its algorithm (RFC 5280 §4.2.1.2, the first method). */
export function keyIdentifier(publicKey: KeyObject): Buffer {
  return createHash('sha1').update(publicKeyBits(publicKey)).digest();
}

/** The content of the BIT STRING, without the byte that counts its unused bits. */
export function publicKeyBits(publicKey: KeyObject): Buffer {
  const fields = new DerFields(publicKeyInfo(publicKey));
  fields.take(derTags.sequence);
  return fields.take(derTags.bitString).content.subarray(1);
}
