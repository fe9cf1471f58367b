// Lists of revoked certificates, version 2 (RFC 5280 §5).
//   issueCrl(list, authority, scheme?)  the signed list as DER; PEM is pemOf('X509 CRL', der)

import { type Authority, keyIdentifierOf, subjectOf } from './certificate.ts';
import { authorityKeyIdentifier, extension } from './certificate-extensions.ts';
import { enumerated, integer, sequence, tagged, time } from './der-writer.ts';
import { oids } from './object-identifiers.ts';
import { type SignatureSchemeName, schemeFor, signatureSchemes, signed } from './signature-schemes.ts';

/** With their numbers (RFC 5280 §5.3.1). */
export const revocationReasons = {
  unspecified: 0,
  keyCompromise: 1,
  cACompromise: 2,
  affiliationChanged: 3,
  superseded: 4,
  cessationOfOperation: 5,
  certificateHold: 6,
  removeFromCRL: 8,
  privilegeWithdrawn: 9,
  aACompromise: 10,
} as const;

export type RevocationReason = keyof typeof revocationReasons;

export interface Revocation {
  readonly serialNumber: bigint;
  readonly revokedAt: Date;
  readonly reason?: RevocationReason;
}

export interface RevocationList {
  readonly thisUpdate: Date;
  readonly nextUpdate: Date;
  /** Grows with every list of an authority. */
  readonly number: bigint | number;
  readonly revoked: readonly Revocation[];
}

const VERSION_2 = 1;

export function issueCrl(
  list: RevocationList,
  authority: Authority,
  scheme: SignatureSchemeName = schemeFor(authority.privateKey),
): Buffer {
  const content = sequence(
    integer(VERSION_2),
    signatureSchemes[scheme].algorithm,
    subjectOf(authority.certificate),
    time(list.thisUpdate),
    time(list.nextUpdate),
    // An empty list has no member at all, not an empty one.
    list.revoked.length > 0 ? sequence(...list.revoked.map(revocationDer)) : undefined,
    tagged(
      0,
      sequence(
        authorityKeyIdentifier(keyIdentifierOf(authority.certificate)),
        extension(oids.crlNumber, integer(list.number)),
      ),
    ),
  );
  return signed(content, scheme, authority.privateKey);
}

function revocationDer({ serialNumber, revokedAt, reason }: Revocation): Buffer {
  return sequence(integer(serialNumber), time(revokedAt), reason && sequence(reasonExtension(reason)));
}

function reasonExtension(reason: RevocationReason): Buffer {
  return extension(oids.crlReason, enumerated(revocationReasons[reason]));
}
