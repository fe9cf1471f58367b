import { serialNumberOf } from '../../pki/certificate.ts';
import { issueCrl, type Revocation } from '../../pki/crl.ts';
import { type CertificateId, certificateIdOf, isIssuedBy, readOcspRequest } from '../../pki/ocsp-request.ts';
import { type CertificateStatus, issueOcspResponse, ocspError } from '../../pki/ocsp-response.ts';
import type { CertificateName } from './certificate-recipes.ts';
import type { Material } from './material.ts';

const DAY_MS = 24 * 3600 * 1000;
const VALIDITY_MS = 7 * DAY_MS;
/** Clocks of clients may be behind. */
const ALLOWANCE_MS = 3600 * 1000;

/** The list of an authority as of now. The intermediate has revoked one certificate, the root none. */
export function revocationList(material: Material, issuer: 'intermediate' | 'root', nowMs: number): Buffer {
  return issueCrl(
    {
      thisUpdate: new Date(nowMs - ALLOWANCE_MS),
      nextUpdate: new Date(nowMs + VALIDITY_MS),
      // A number that grows, without anything to remember.
      number: Math.floor(nowMs / 1000),
      revoked: issuer === 'intermediate' ? [revocationOf(material)] : [],
    },
    material.authority(issuer),
  );
}

/** What the responder says to a request; bytes that are none get the answer that RFC 6960 §2.3 has for them. */
export function ocspAnswer(material: Material, request: Buffer, nowMs: number): Buffer {
  const intermediate = material.authority('intermediate');
  try {
    const { certificates, nonce } = readOcspRequest(request);
    const isOurs = certificates.every((id) => isIssuedBy(id, intermediate.certificate));
    if (!isOurs) return ocspError('unauthorized');
    return issueOcspResponse(
      {
        certificates: certificates.map((id) => ({ id, ...statusOf(material, id) })),
        ...times(nowMs),
        ...(nonce && { nonce }),
      },
      intermediate,
    );
  } catch (error) {
    if (error instanceof RangeError) return ocspError('malformedRequest');
    throw error;
  }
}

/** Staples for the handshakes of a server with this certificate, each used until it is a day old. */
export function stapledAnswer(material: Material, name: CertificateName): () => Buffer {
  let staple: { readonly der: Buffer; readonly madeAtMs: number } | undefined;
  return () => {
    const nowMs = Date.now();
    if (!staple || nowMs - staple.madeAtMs > DAY_MS) {
      const intermediate = material.authority('intermediate');
      const id = certificateIdOf(material.certificate(name), intermediate.certificate);
      const certificates = [{ id, ...statusOf(material, id) }];
      staple = { der: issueOcspResponse({ certificates, ...times(nowMs) }, intermediate), madeAtMs: nowMs };
    }
    return staple.der;
  };
}

function times(nowMs: number) {
  return {
    producedAt: new Date(nowMs),
    thisUpdate: new Date(nowMs - ALLOWANCE_MS),
    nextUpdate: new Date(nowMs + VALIDITY_MS),
  };
}

function statusOf(material: Material, { serialNumber }: CertificateId): CertificateStatus {
  const revocation = revocationOf(material);
  if (serialNumber === revocation.serialNumber) return { status: 'revoked', ...revocation };
  const isKnown = Object.entries(material.recipes).some(
    ([name, { issuer }]) =>
      issuer === 'intermediate' &&
      serialNumberOf(material.certificate(name as CertificateName)) === serialNumber,
  );
  return { status: isKnown ? 'good' : 'unknown' };
}

/** Revoked as soon as it was made. */
function revocationOf(material: Material): Revocation {
  return {
    serialNumber: serialNumberOf(material.certificate('revoked')),
    revokedAt: new Date(material.x509('revoked').validFrom),
    reason: 'keyCompromise',
  };
}
