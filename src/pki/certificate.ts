// X.509 v3 certificates (RFC 5280), sound ones and every kind of bad one.
//   issueCertificate(profile, authority, scheme?)  a certificate below an authority, as DER
//   selfSigned(profile, keys, scheme?)             one that signs itself: a root, or a lone server
//   serialNumberOf, subjectOf                      what other signed data repeats of a certificate
// An Authority is a certificate with its private key. PEM is made by pem.ts; extensions are in certificate-extensions.ts.

import { type KeyObject, randomBytes, X509Certificate } from 'node:crypto';
import { type CertificateExtensions, extensionList } from './certificate-extensions.ts';
import { type DerElement, DerFields, derTags } from './der-reader.ts';
import { integer, sequence, tagged, time } from './der-writer.ts';
import { type DistinguishedName, nameDer } from './distinguished-name.ts';
import { type KeyPair, keyIdentifier, publicKeyInfo } from './keys.ts';
import { type SignatureSchemeName, schemeFor, signatureSchemes, signed } from './signature-schemes.ts';

export interface CertificateProfile {
  /** May be empty; RFC 5280 then wants critical alternative names. */
  readonly subject: DistinguishedName;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** 16 random bytes when not given. */
  readonly serialNumber?: bigint;
  readonly extensions?: CertificateExtensions;
}

export interface Authority {
  /** DER. */
  readonly certificate: Buffer;
  readonly privateKey: KeyObject;
}

const VERSION_3 = 2;

export function issueCertificate(
  profile: CertificateProfile & { readonly publicKey: KeyObject },
  authority: Authority,
  scheme: SignatureSchemeName = schemeFor(authority.privateKey),
): Buffer {
  const issuer = { name: subjectOf(authority.certificate), keyId: keyIdentifierOf(authority.certificate) };
  return signed(toBeSigned(profile, issuer, scheme), scheme, authority.privateKey);
}

export function selfSigned(
  profile: CertificateProfile,
  keys: KeyPair,
  scheme: SignatureSchemeName = schemeFor(keys.privateKey),
): Buffer {
  const issuer = { name: nameDer(profile.subject), keyId: keyIdentifier(keys.publicKey) };
  const content = toBeSigned({ ...profile, publicKey: keys.publicKey }, issuer, scheme);
  return signed(content, scheme, keys.privateKey);
}

function toBeSigned(
  profile: CertificateProfile & { readonly publicKey: KeyObject },
  issuer: { readonly name: Buffer; readonly keyId: Buffer },
  scheme: SignatureSchemeName,
): Buffer {
  const { publicKey, extensions = {} } = profile;
  const list = extensionList(extensions, keyIdentifier(publicKey), issuer.keyId);
  return sequence(
    tagged(0, integer(VERSION_3)),
    integer(profile.serialNumber ?? randomSerialNumber()),
    signatureSchemes[scheme].algorithm,
    issuer.name,
    sequence(time(profile.notBefore), time(profile.notAfter)),
    nameDer(profile.subject),
    publicKeyInfo(publicKey),
    list.length > 0 ? tagged(3, sequence(...list)) : undefined,
  );
}

/** Positive and never shorter than 16 bytes, so that nobody can guess it and nothing prints it differently. */
export function randomSerialNumber(): bigint {
  const bytes = randomBytes(16);
  bytes[0] = (bytes[0]! & 0x3f) | 0x40;
  return BigInt(`0x${bytes.toString('hex')}`);
}

export function serialNumberOf(certificate: Buffer): bigint {
  const { content } = partsOf(certificate).serialNumber;
  return BigInt(`0x${content.toString('hex')}`);
}

/** The name of the subject, DER, byte for byte as it stands in the certificate. */
export function subjectOf(certificate: Buffer): Buffer {
  return partsOf(certificate).subject.whole;
}

/** The name of the issuer, DER. */
export function issuerOf(certificate: Buffer): Buffer {
  return partsOf(certificate).issuer.whole;
}

export function keyIdentifierOf(certificate: Buffer): Buffer {
  return keyIdentifier(new X509Certificate(certificate).publicKey);
}

function partsOf(certificate: Buffer): Record<'serialNumber' | 'issuer' | 'subject', DerElement> {
  const fields = new DerFields(new DerFields(certificate).take(derTags.sequence).whole);
  fields.takeIf(0xa0);
  const serialNumber = fields.take(derTags.integer);
  fields.take(derTags.sequence);
  const issuer = fields.take(derTags.sequence);
  fields.take(derTags.sequence);
  return { serialNumber, issuer, subject: fields.take(derTags.sequence) };
}
