import { isIPv4 } from 'node:net';
import { addressBytes } from './address-bytes.ts';
import {
  boolean,
  integer,
  namedBits,
  octetString,
  oid,
  sequence,
  tagged,
  taggedValue,
} from './der-writer.ts';
import { oids } from './object-identifiers.ts';

/** What a certificate may say besides name, key and time. What is absent here is absent in the certificate. */
export interface CertificateExtensions {
  readonly basicConstraints?: { readonly ca: boolean; readonly pathLength?: number };
  readonly keyUsage?: readonly KeyUsage[];
  readonly extendedKeyUsage?: readonly ExtendedKeyUsage[];
  readonly alternativeNames?: AlternativeNames & { readonly isCritical?: boolean };
  /** Domains and networks (`10.0.0.0/8`) that certificates below an authority may or may not be for. */
  readonly nameConstraints?: { readonly permitted?: Subtrees; readonly excluded?: Subtrees };
  /** Where the list of revoked certificates is. */
  readonly crlUrls?: readonly string[];
  readonly ocspUrls?: readonly string[];
  /** Where the certificate of the issuer is. */
  readonly issuerUrls?: readonly string[];
  /** TLS feature status_request: the server must staple an OCSP answer (RFC 7633). */
  readonly mustStaple?: boolean;
  /** Dotted object identifiers. */
  readonly policies?: readonly string[];
  /** The certificate of an OCSP responder is itself not to be checked for revocation (RFC 6960 §4.2.2.2.1). */
  readonly ocspNoCheck?: boolean;
  /** Both are there unless switched off. */
  readonly subjectKeyIdentifier?: false;
  readonly authorityKeyIdentifier?: false;
}

export interface AlternativeNames {
  readonly dns?: readonly string[];
  readonly ip?: readonly string[];
  readonly email?: readonly string[];
  readonly uri?: readonly string[];
}

interface Subtrees {
  readonly dns?: readonly string[];
  readonly ip?: readonly string[];
}

/** In the order of their bits. */
export const keyUsages = [
  'digitalSignature',
  'nonRepudiation',
  'keyEncipherment',
  'dataEncipherment',
  'keyAgreement',
  'keyCertSign',
  'cRLSign',
  'encipherOnly',
  'decipherOnly',
] as const;

export type KeyUsage = (typeof keyUsages)[number];
export type ExtendedKeyUsage =
  | 'anyExtendedKeyUsage'
  | 'serverAuth'
  | 'clientAuth'
  | 'codeSigning'
  | 'emailProtection'
  | 'timeStamping'
  | 'ocspSigning';

/** One extension; a critical one must be understood by whoever relies on the certificate. */
export function extension(identifier: string, value: Buffer, isCritical = false): Buffer {
  return sequence(oid(identifier), isCritical ? boolean(true) : undefined, octetString(value));
}

/** The extensions in the order in which authorities usually write them; the key identifiers come from the caller. */
export function extensionList(
  wanted: CertificateExtensions,
  subjectKeyId: Buffer,
  issuerKeyId: Buffer,
): Buffer[] {
  const { basicConstraints, keyUsage, extendedKeyUsage, alternativeNames, nameConstraints } = wanted;
  return [
    basicConstraints && extension(oids.basicConstraints, basicConstraintsDer(basicConstraints), true),
    keyUsage && extension(oids.keyUsage, keyUsageDer(keyUsage), true),
    extendedKeyUsage &&
      extension(oids.extendedKeyUsage, sequence(...extendedKeyUsage.map((use) => oid(oids[use])))),
    wanted.subjectKeyIdentifier ?? extension(oids.subjectKeyIdentifier, octetString(subjectKeyId)),
    wanted.authorityKeyIdentifier ?? authorityKeyIdentifier(issuerKeyId),
    alternativeNames && alternativeNamesDer(alternativeNames),
    nameConstraints && extension(oids.nameConstraints, nameConstraintsDer(nameConstraints), true),
    wanted.crlUrls && extension(oids.crlDistributionPoints, distributionPoints(wanted.crlUrls)),
    (wanted.ocspUrls || wanted.issuerUrls) && extension(oids.authorityInfoAccess, informationAccess(wanted)),
    wanted.mustStaple && extension(oids.tlsFeature, sequence(integer(STATUS_REQUEST))),
    wanted.policies &&
      extension(oids.certificatePolicies, sequence(...wanted.policies.map((id) => sequence(oid(id))))),
    wanted.ocspNoCheck && extension(oids.ocspNoCheck, NULL),
  ].filter((entry) => entry !== undefined && entry !== false);
}

/** The number of the TLS extension that a must-staple certificate demands. */
const STATUS_REQUEST = 5;
const NULL = Buffer.of(5, 0);

export function authorityKeyIdentifier(issuerKeyId: Buffer): Buffer {
  return extension(oids.authorityKeyIdentifier, sequence(taggedValue(0, issuerKeyId)));
}

function basicConstraintsDer({ ca, pathLength }: { ca: boolean; pathLength?: number }): Buffer {
  return sequence(ca ? boolean(true) : undefined, pathLength === undefined ? undefined : integer(pathLength));
}

function keyUsageDer(usages: readonly KeyUsage[]): Buffer {
  return namedBits(usages.map((usage) => keyUsages.indexOf(usage)));
}

function alternativeNamesDer(names: AlternativeNames & { isCritical?: boolean }): Buffer {
  return extension(oids.subjectAltName, sequence(...generalNames(names)), names.isCritical);
}

/** RFC 5280 §4.2.1.6 */
function generalNames({ dns = [], ip = [], email = [], uri = [] }: AlternativeNames): Buffer[] {
  return [
    ...email.map((address) => taggedValue(1, Buffer.from(address, 'latin1'))),
    ...dns.map((name) => taggedValue(2, Buffer.from(name, 'latin1'))),
    ...uri.map(uriName),
    ...ip.map((address) => taggedValue(7, addressBytes(address))),
  ];
}

function uriName(uri: string): Buffer {
  return taggedValue(6, Buffer.from(uri, 'latin1'));
}

function nameConstraintsDer({ permitted, excluded }: { permitted?: Subtrees; excluded?: Subtrees }): Buffer {
  return sequence(
    permitted && tagged(0, ...subtrees(permitted)),
    excluded && tagged(1, ...subtrees(excluded)),
  );
}

function subtrees({ dns = [], ip = [] }: Subtrees): Buffer[] {
  return [
    ...dns.map((domain) => sequence(taggedValue(2, Buffer.from(domain, 'latin1')))),
    ...ip.map((network) => sequence(taggedValue(7, networkBytes(network)))),
  ];
}

/** Address and mask, one after the other. */
function networkBytes(network: string): Buffer {
  const [address = '', prefix = ''] = network.split('/');
  const mask = Buffer.alloc(isIPv4(address) ? 4 : 16);
  for (let bit = 0; bit < Number(prefix); bit++) mask[bit >> 3]! |= 0x80 >> (bit & 7);
  return Buffer.concat([addressBytes(address), mask]);
}

/** One point a list: several addresses within one would mean the same list. */
function distributionPoints(urls: readonly string[]): Buffer {
  return sequence(...urls.map((url) => sequence(tagged(0, tagged(0, uriName(url))))));
}

function informationAccess({ ocspUrls = [], issuerUrls = [] }: CertificateExtensions): Buffer {
  return sequence(
    ...ocspUrls.map((url) => sequence(oid(oids.ocsp), uriName(url))),
    ...issuerUrls.map((url) => sequence(oid(oids.caIssuers), uriName(url))),
  );
}
