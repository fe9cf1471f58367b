// What an OCSP responder says (RFC 6960 §4.2), over HTTP or stapled to a TLS handshake.
//   issueOcspResponse(answer, responder, scheme?)  the signed answer; the responder is the authority itself,
//                                                  or a certificate of it for `ocspSigning`
//   ocspError(status)                              an answer without content, which nobody signs

import { type Authority, keyIdentifierOf } from './certificate.ts';
import { extension } from './certificate-extensions.ts';
import { type RevocationReason, revocationReasons } from './crl.ts';
import {
  bitString,
  enumerated,
  generalizedTime,
  octetString,
  oid,
  sequence,
  tagged,
  taggedValue,
} from './der-writer.ts';
import { oids } from './object-identifiers.ts';
import type { CertificateId } from './ocsp-request.ts';
import { type SignatureSchemeName, schemeFor, signatureOf, signatureSchemes } from './signature-schemes.ts';

export type CertificateStatus =
  | { readonly status: 'good' }
  | { readonly status: 'unknown' }
  | { readonly status: 'revoked'; readonly revokedAt: Date; readonly reason?: RevocationReason };

export interface OcspAnswer {
  readonly certificates: ReadonlyArray<{ readonly id: CertificateId } & CertificateStatus>;
  readonly producedAt: Date;
  readonly thisUpdate: Date;
  readonly nextUpdate?: Date;
  /** That of the request. */
  readonly nonce?: Buffer;
  /** A delegated responder sends its certificate along, so that the client can check it. */
  readonly attachedCertificates?: readonly Buffer[];
}

const errorStatuses = {
  malformedRequest: 1,
  internalError: 2,
  tryLater: 3,
  sigRequired: 5,
  unauthorized: 6,
} as const;

export type OcspErrorStatus = keyof typeof errorStatuses;

const SUCCESSFUL = 0;

export function ocspError(status: OcspErrorStatus): Buffer {
  return sequence(enumerated(errorStatuses[status]));
}

export function issueOcspResponse(
  answer: OcspAnswer,
  responder: Authority,
  scheme: SignatureSchemeName = schemeFor(responder.privateKey),
): Buffer {
  const content = responseData(answer, responder);
  const { attachedCertificates: attached = [] } = answer;
  const basic = sequence(
    content,
    signatureSchemes[scheme].algorithm,
    bitString(signatureOf(content, scheme, responder.privateKey)),
    attached.length > 0 ? tagged(0, sequence(...attached)) : undefined,
  );
  return sequence(enumerated(SUCCESSFUL), tagged(0, sequence(oid(oids.ocspBasic), octetString(basic))));
}

function responseData(answer: OcspAnswer, responder: Authority): Buffer {
  const { nonce } = answer;
  return sequence(
    tagged(2, octetString(keyIdentifierOf(responder.certificate))),
    generalizedTime(answer.producedAt),
    sequence(...answer.certificates.map((one) => singleResponse(one, answer))),
    nonce && tagged(1, sequence(extension(oids.ocspNonce, octetString(nonce)))),
  );
}

function singleResponse(
  one: { readonly id: CertificateId } & CertificateStatus,
  { thisUpdate, nextUpdate }: OcspAnswer,
): Buffer {
  return sequence(
    one.id.der,
    statusDer(one),
    generalizedTime(thisUpdate),
    nextUpdate && tagged(0, generalizedTime(nextUpdate)),
  );
}

function statusDer(status: CertificateStatus): Buffer {
  if (status.status === 'good') return taggedValue(0, Buffer.alloc(0));
  if (status.status === 'unknown') return taggedValue(2, Buffer.alloc(0));
  const { revokedAt, reason } = status;
  return tagged(1, generalizedTime(revokedAt), reason && tagged(0, enumerated(revocationReasons[reason])));
}
