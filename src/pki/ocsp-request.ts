// What a client asks an OCSP responder (RFC 6960 §4.1).
//   readOcspRequest(bytes)            the certificates asked for and the nonce; a RangeError when it is no such request
//   isIssuedBy(id, authority)         whether the asked certificate is one of this authority
//   certificateIdOf(cert, authority)  the id of a certificate, for an answer that nobody asked for: stapling

import { createHash, X509Certificate } from 'node:crypto';
import { serialNumberOf, subjectOf } from './certificate.ts';
import { type DerElement, DerFields, derChildren, derElements, derTags } from './der-reader.ts';
import { integer, nothing, octetString, oid, sequence } from './der-writer.ts';
import { publicKeyBits } from './keys.ts';
import { oids } from './object-identifiers.ts';

export interface CertificateId {
  /** Undefined when the client hashed in a way that is not known here. */
  readonly digest: Digest | undefined;
  readonly issuerNameHash: Buffer;
  readonly issuerKeyHash: Buffer;
  readonly serialNumber: bigint;
  /** The id as it was asked, which is how it must be answered. */
  readonly der: Buffer;
}

export interface OcspRequest {
  readonly certificates: readonly CertificateId[];
  readonly nonce?: Buffer;
}

type Digest = 'sha1' | 'sha256' | 'sha384' | 'sha512';

const digests = new Map<string, Digest>(
  (['sha1', 'sha256', 'sha384', 'sha512'] as const).map((digest) => [oids[digest], digest]),
);

const MAX_REQUEST_BYTES = 64 * 1024;
const MAX_CERTIFICATES = 100;
/** RFC 9654 §2.1 */
const MAX_NONCE_BYTES = 128;

export function readOcspRequest(bytes: Buffer): OcspRequest {
  if (bytes.length > MAX_REQUEST_BYTES) throw new RangeError('the request is too long');
  const fields = new DerFields(new DerFields(bytes).take(derTags.sequence).whole);
  fields.takeIf(0xa0);
  fields.takeIf(0xa1);
  const requests = derElements(fields.take(derTags.sequence).content);
  if (requests.length === 0 || requests.length > MAX_CERTIFICATES)
    throw new RangeError(`a request asks for 1 to ${MAX_CERTIFICATES} certificates`);
  const extensions = fields.takeIf(0xa2);
  return {
    certificates: requests.map(({ whole }) => readId(new DerFields(whole).take(derTags.sequence))),
    nonce: extensions && nonceOf(extensions),
  };
}

function readId({ whole }: DerElement): CertificateId {
  const fields = new DerFields(whole);
  const algorithm = new DerFields(fields.take(derTags.sequence).whole).takeOid();
  return {
    digest: digests.get(algorithm),
    issuerNameHash: fields.take(derTags.octetString).content,
    issuerKeyHash: fields.take(derTags.octetString).content,
    serialNumber: positive(fields.take(derTags.integer).content),
    der: whole,
  };
}

function positive(content: Buffer): bigint {
  // 20 bytes is what RFC 5280 allows; some authorities have one byte more.
  if (content.length === 0 || content.length > 21) throw new RangeError('a serial number is out of bounds');
  return BigInt(`0x${content.toString('hex')}`);
}

/** `[2] EXPLICIT Extensions`; the value is the nonce as an OCTET STRING. */
function nonceOf({ content }: DerElement): Buffer | undefined {
  for (const { whole } of derChildren(content, derTags.sequence)) {
    const fields = new DerFields(whole);
    if (fields.takeOid() !== oids.ocspNonce) continue;
    fields.takeIf(derTags.boolean);
    const [nonce] = derElements(fields.take(derTags.octetString).content);
    const length = nonce?.tag === derTags.octetString ? nonce.content.length : 0;
    if (length === 0 || length > MAX_NONCE_BYTES) throw new RangeError('the nonce is out of bounds');
    return nonce?.content;
  }
  return undefined;
}

export function certificateIdOf(certificate: Buffer, authority: Buffer): CertificateId {
  const { issuerNameHash, issuerKeyHash } = issuerHashes(authority, 'sha1');
  const serialNumber = serialNumberOf(certificate);
  const der = sequence(
    sequence(oid(oids.sha1), nothing()),
    octetString(issuerNameHash),
    octetString(issuerKeyHash),
    integer(serialNumber),
  );
  return { digest: 'sha1', issuerNameHash, issuerKeyHash, serialNumber, der };
}

export function isIssuedBy(id: CertificateId, authority: Buffer): boolean {
  if (!id.digest) return false;
  const { issuerNameHash, issuerKeyHash } = issuerHashes(authority, id.digest);
  return issuerNameHash.equals(id.issuerNameHash) && issuerKeyHash.equals(id.issuerKeyHash);
}

function issuerHashes(
  authority: Buffer,
  digest: Digest,
): Pick<CertificateId, 'issuerNameHash' | 'issuerKeyHash'> {
  const { publicKey } = new X509Certificate(authority);
  return {
    issuerNameHash: createHash(digest).update(subjectOf(authority)).digest(),
    issuerKeyHash: createHash(digest).update(publicKeyBits(publicKey)).digest(),
  };
}
