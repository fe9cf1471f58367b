// How certificates, revocation lists and OCSP answers are signed, weak ways included.
//   signatureSchemes  all of them, by the names that scenarios use
//   schemeFor         the customary one for a key
//   signed            the whole signed structure: content, algorithm, signature

import { constants, type KeyObject, sign } from 'node:crypto';
import { bitString, integer, nothing, oid, sequence, tagged } from './der-writer.ts';
import { oids } from './object-identifiers.ts';

interface SignatureScheme {
  /** What node:crypto calls the digest; null where the scheme has its own. */
  readonly digest: string | null;
  readonly algorithm: Buffer;
  /** Length of the salt of RSASSA-PSS, which is that of the digest. */
  readonly saltBytes?: number;
}

export const signatureSchemes = {
  'rsa-md5': rsa('md5', oids.md5WithRsa),
  'rsa-sha1': rsa('sha1', oids.sha1WithRsa),
  'rsa-sha256': rsa('sha256', oids.sha256WithRsa),
  'rsa-sha384': rsa('sha384', oids.sha384WithRsa),
  'rsa-sha512': rsa('sha512', oids.sha512WithRsa),
  'rsa-pss-sha256': rsaPss('sha256', 32),
  'rsa-pss-sha384': rsaPss('sha384', 48),
  'rsa-pss-sha512': rsaPss('sha512', 64),
  'ecdsa-sha1': plain('sha1', oids.sha1WithEcdsa),
  'ecdsa-sha256': plain('sha256', oids.sha256WithEcdsa),
  'ecdsa-sha384': plain('sha384', oids.sha384WithEcdsa),
  'ecdsa-sha512': plain('sha512', oids.sha512WithEcdsa),
  'dsa-sha256': plain('sha256', oids.sha256WithDsa),
  ed25519: plain(null, oids.ed25519),
  ed448: plain(null, oids.ed448),
  'ml-dsa-65': plain(null, oids.mlDsa65),
} as const satisfies Record<string, SignatureScheme>;

export type SignatureSchemeName = keyof typeof signatureSchemes;

function plain(digest: string | null, algorithm: string): SignatureScheme {
  return { digest, algorithm: sequence(oid(algorithm)) };
}

/** RFC 4055 §5: PKCS #1 v1.5 wants NULL parameters, the others want none. */
function rsa(digest: string, algorithm: string): SignatureScheme {
  return { digest, algorithm: sequence(oid(algorithm), nothing()) };
}

function rsaPss(digest: 'sha256' | 'sha384' | 'sha512', saltBytes: number): SignatureScheme {
  const hash = sequence(oid(oids[digest]), nothing());
  const parameters = sequence(
    tagged(0, hash),
    tagged(1, sequence(oid(oids.mgf1), hash)),
    tagged(2, integer(saltBytes)),
  );
  return { digest, algorithm: sequence(oid(oids.rsaPss), parameters), saltBytes };
}

/** SHA-256, or the digest that belongs to the size of a curve. */
export function schemeFor(key: KeyObject): SignatureSchemeName {
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return 'rsa-sha256';
    case 'rsa-pss':
      return 'rsa-pss-sha256';
    case 'ec':
      return schemeOfCurve(key.asymmetricKeyDetails?.namedCurve);
    case 'dsa':
      return 'dsa-sha256';
    case 'ed25519':
    case 'ed448':
    case 'ml-dsa-65':
      return key.asymmetricKeyType;
    default:
      throw new TypeError(`there is no signature scheme for a key of type ${key.asymmetricKeyType}`);
  }
}

function schemeOfCurve(curve: string | undefined): SignatureSchemeName {
  if (curve === 'secp384r1') return 'ecdsa-sha384';
  return curve === 'secp521r1' ? 'ecdsa-sha512' : 'ecdsa-sha256';
}

/** `SEQUENCE { content, algorithm, signature }`, the shape of everything that an authority signs. */
export function signed(content: Buffer, scheme: SignatureSchemeName, key: KeyObject): Buffer {
  const { algorithm } = signatureSchemes[scheme];
  return sequence(content, algorithm, bitString(signatureOf(content, scheme, key)));
}

export function signatureOf(content: Buffer, scheme: SignatureSchemeName, key: KeyObject): Buffer {
  const { digest, saltBytes }: SignatureScheme = signatureSchemes[scheme];
  if (saltBytes === undefined) return sign(digest, content, key);
  return sign(digest, content, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: saltBytes });
}
