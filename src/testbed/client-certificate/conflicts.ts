import type { HeaderList } from '../../http1/header-list.ts';
import { comparableName } from './distinguished-name.ts';
import { type CertificateSource, claimHeaders } from './sources.ts';

const members = ['sha256', 'serialNumber', 'subject', 'issuer'] as const;
type Member = (typeof members)[number];

/** What one place says of the client's certificate. */
interface Claim {
  readonly source: string;
  readonly member: Member;
  readonly value: string;
}

/** Claims of which at most one can be true: some field was forged, or passed on by mistake. */
export interface CertificateConflict {
  readonly member: Member;
  readonly claims: ReadonlyArray<{ readonly source: string; readonly value: string }>;
}

/** Where certificates, and what proxies say of them, contradict each other. */
export function conflictsOf(
  sources: readonly CertificateSource[],
  headers: HeaderList,
): CertificateConflict[] {
  const all = [...sources.flatMap(claimsOf), ...namedClaims(headers)];
  return members.flatMap((member) => {
    const claims = all.filter((claim) => claim.member === member);
    const distinct = new Set(claims.map(({ value }) => comparable[member](value)));
    if (distinct.size < 2) return [];
    return [{ member, claims: claims.map(({ source, value }) => ({ source, value })) }];
  });
}

const comparable: Readonly<Record<Member, (value: string) => string>> = {
  sha256: (value) => value.toLowerCase(),
  serialNumber: (value) =>
    value
      .replace(/[:\s]/g, '')
      .replace(/^(0x)?0*/i, '')
      .toUpperCase(),
  subject: comparableName,
  issuer: comparableName,
};

function claimsOf({ source, certificate, elements }: CertificateSource): Claim[] {
  const claims: Claim[] = [];
  const claim = (member: Member, value: string | undefined) => {
    if (value !== undefined && value !== '') claims.push({ source, member, value });
  };
  if (certificate) {
    claim('sha256', certificate.fingerprints.sha256);
    for (const member of ['serialNumber', 'subject', 'issuer'] as const) claim(member, certificate[member]);
  }
  // The first element speaks of the client furthest away. A hash of another length is none of the certificate.
  const [element] = elements ?? [];
  if (element?.hash?.length === 64) claim('sha256', element.hash);
  claim('subject', element?.subject && utf8(element.subject));
  return claims;
}

/** Fields that nginx, Apache and ingress controllers fill with parts of the certificate. */
function namedClaims(headers: HeaderList): Claim[] {
  const kinds = [
    ['serialNumber', claimHeaders.headerSerial],
    ['subject', claimHeaders.headerSubject],
    ['issuer', claimHeaders.headerIssuer],
  ] as const;
  return kinds.flatMap(([member, names]) =>
    names.flatMap((name) => {
      const value = utf8(headers.first(name) ?? '');
      // What they send when there was no certificate.
      return value === '' || value === '(null)' ? [] : [{ source: `header:${name}`, member, value }];
    }),
  );
}

/** Fields hold bytes, one a character. */
function utf8(field: string): string {
  return Buffer.from(field, 'latin1').toString();
}
