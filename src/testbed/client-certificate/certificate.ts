import { createHash, X509Certificate } from 'node:crypto';
import { keyUsages } from '../../pki/certificate-extensions.ts';
import { type DerElement, derChildren, derElements, derTags, oidText } from '../../pki/der-reader.ts';
import { oids } from '../../pki/object-identifiers.ts';

/** A certificate as the test service shows it. */
export interface CertificateView {
  /** Distinguished names as RFC 4514 writes them, the most specific part first. */
  readonly subject: string;
  readonly issuer: string;
  /** Upper-case hex. */
  readonly serialNumber: string;
  readonly notBefore: string;
  readonly notAfter: string;
  /** Lower-case hex without separators. */
  readonly fingerprints: { readonly sha1: string; readonly sha256: string };
  readonly publicKey: { readonly type: string; readonly bits?: number; readonly curve?: string };
  readonly signatureAlgorithm: string;
  readonly san: readonly string[];
  readonly keyUsage: readonly string[];
  readonly extendedKeyUsage: readonly string[];
  readonly selfSigned: boolean;
  readonly expired: boolean;
  readonly notYetValid: boolean;
  readonly pem: string;
}

const extendedKeyUsages: Readonly<Record<string, string>> = {
  [oids.anyExtendedKeyUsage]: 'anyExtendedKeyUsage',
  [oids.serverAuth]: 'serverAuth',
  [oids.clientAuth]: 'clientAuth',
  [oids.codeSigning]: 'codeSigning',
  [oids.emailProtection]: 'emailProtection',
  [oids.timeStamping]: 'timeStamping',
  [oids.ocspSigning]: 'OCSPSigning',
};

/** Throws when the bytes are no certificate. */
export function viewCertificate(der: Buffer, nowMs: number): CertificateView {
  const certificate = new X509Certificate(der);
  const extensions = extensionsOf(certificate.raw);
  const { validFromDate, validToDate } = certificate;
  return {
    subject: distinguishedName(certificate.subject),
    issuer: distinguishedName(certificate.issuer),
    serialNumber: certificate.serialNumber,
    notBefore: validFromDate.toISOString(),
    notAfter: validToDate.toISOString(),
    fingerprints: { sha1: hashOf('sha1', certificate.raw), sha256: hashOf('sha256', certificate.raw) },
    publicKey: publicKeyOf(certificate),
    signatureAlgorithm: certificate.signatureAlgorithm ?? certificate.signatureAlgorithmOid ?? 'unknown',
    san: alternativeNames(extensions.get(oids.subjectAltName)),
    keyUsage: keyUsageOf(extensions.get(oids.keyUsage)),
    extendedKeyUsage: (certificate.keyUsage ?? []).map((oid) => extendedKeyUsages[oid] ?? oid),
    selfSigned: isSelfSigned(certificate),
    expired: validToDate.getTime() < nowMs,
    notYetValid: validFromDate.getTime() > nowMs,
    pem: certificate.toString(),
  };
}

/** Node gives one escaped part a line, the most general one first. */
function distinguishedName(lines: string | undefined): string {
  return (lines ?? '').split('\n').reverse().join(',');
}

function publicKeyOf(certificate: X509Certificate): CertificateView['publicKey'] {
  try {
    const { asymmetricKeyType: type = 'unknown', asymmetricKeyDetails: details } = certificate.publicKey;
    if (details?.modulusLength) return { type, bits: details.modulusLength };
    return details?.namedCurve ? { type, curve: details.namedCurve } : { type };
  } catch {
    // A key of a kind that OpenSSL does not know leaves the rest of the certificate readable.
    return { type: 'unknown' };
  }
}

function isSelfSigned(certificate: X509Certificate): boolean {
  try {
    return certificate.checkIssued(certificate) && certificate.verify(certificate.publicKey);
  } catch {
    return false;
  }
}

/** Extension values by their object identifier (RFC 5280 §4.1). */
function extensionsOf(der: Buffer): Map<string, Buffer> {
  const [toBeSigned] = derChildren(der, derTags.sequence);
  const wrapper = derElements(toBeSigned!.content).find(({ tag }) => tag === 0xa3);
  const found = wrapper ? derChildren(wrapper.content, derTags.sequence) : [];
  return new Map(
    found.map((extension) => {
      const members = derElements(extension.content);
      return [oidText(members[0]!.content), members.at(-1)!.content];
    }),
  );
}

function keyUsageOf(value: Buffer | undefined): string[] {
  if (!value) return [];
  const [bits] = derElements(value);
  const [, ...bytes] = bits?.content ?? [];
  return keyUsages.filter((_, index) => ((bytes[index >> 3] ?? 0) & (0x80 >> (index & 7))) !== 0);
}

function alternativeNames(value: Buffer | undefined): string[] {
  return value ? derChildren(value, derTags.sequence).map(generalName) : [];
}

/** RFC 5280 §4.2.1.6; kinds that clients do not use are shown by their tag. */
function generalName({ tag, content }: DerElement): string {
  switch (tag) {
    case 0x81:
      return `email:${content.toString('latin1')}`;
    case 0x82:
      return `DNS:${content.toString('latin1')}`;
    case 0x86:
      return `URI:${content.toString('latin1')}`;
    case 0x87:
      return `IP:${addressText(content)}`;
    case 0x88:
      return `RID:${oidText(content)}`;
    default:
      return `tag ${tag & 0x1f}:${content.toString('base64')}`;
  }
}

function addressText(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join('.');
  if (bytes.length !== 16) return bytes.toString('hex');
  const groups = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(index * 2).toString(16));
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}

function hashOf(algorithm: 'sha1' | 'sha256', bytes: Buffer): string {
  return createHash(algorithm).update(bytes).digest('hex');
}
