import type { HeaderList } from '../../http1/header-list.ts';
import { fault } from '../../kernel/faults.ts';
import type { TestbedCall } from '../endpoint.ts';
import { type CertificateView, viewCertificate } from './certificate.ts';
import { certificatesOfByteSequences, certificatesOfText, type FoundCertificates } from './encodings.ts';
import { parseXfcc, type XfccElement } from './xfcc.ts';

/** A place that tells about the client's certificate, and what it tells. */
export interface CertificateSource {
  /** `header:x-ssl-client-cert`, or `tls`. */
  readonly source: string;
  readonly format: FoundCertificates['format'];
  /** Absent when a proxy told about the certificate without sending it along. */
  readonly certificate: CertificateView | undefined;
  readonly chain: readonly CertificateView[];
  /** Of the TLS connection: whether this service trusts the certificate itself, and why not. */
  readonly trusted?: boolean;
  readonly verifyError?: string | null;
  /** Every element of an X-Forwarded-Client-Cert. */
  readonly elements?: readonly XfccElement[];
}

/** What a proxy says of its own checks, in the fields that nginx and ingress controllers set. */
export interface VerifyClaims {
  readonly header: string | null;
  readonly headerSubject: string | null;
  readonly headerIssuer: string | null;
  readonly headerSerial: string | null;
}

/** Proxies that write a PEM or DER certificate into a field of its own; the standard and Envoy's come before. */
const textHeaders = [
  'x-ssl-client-cert',
  'ssl-client-cert',
  'x-client-cert',
  'x-arr-clientcert',
  'x-client-certificate',
  'ssl_client_cert',
  'x-ssl-client-certificate',
];

export const claimHeaders = {
  header: ['x-ssl-client-verify', 'ssl-client-verify', 'x-client-verify', 'ssl_client_verify'],
  headerSubject: ['x-ssl-client-s-dn', 'x-ssl-client-subject-dn', 'ssl-client-subject-dn', 'ssl_client_s_dn'],
  headerIssuer: ['x-ssl-client-i-dn', 'x-ssl-client-issuer-dn', 'ssl-client-issuer-dn', 'ssl_client_i_dn'],
  headerSerial: ['x-ssl-client-serial', 'ssl-client-serial', 'ssl_client_serial', 'x-ssl-client-m-serial'],
} as const;

/** Every field that concerns client certificates. */
export const certificateHeaders: ReadonlySet<string> = new Set([
  'client-cert',
  'client-cert-chain',
  'x-forwarded-client-cert',
  ...textHeaders,
  ...Object.values(claimHeaders).flat(),
]);

/** All sources of a request, the one that counts first. A field that cannot be read is answered by 400. */
export function certificateSources(call: TestbedCall): CertificateSource[] {
  const { headers } = call.request;
  const nowMs = call.services.clock.now();
  const sources = [
    fromRfc9440(headers, nowMs),
    fromXfcc(headers, nowMs),
    ...textHeaders.map((name) => fromText(headers, name, nowMs)),
    tlsSource(call),
  ];
  return sources.filter((source) => source !== undefined);
}

/** Only what the TLS connection itself showed. */
export function tlsSource({ exchange, services }: TestbedCall): CertificateSource | undefined {
  const { peerCertificate, peerError } = exchange.connection.tls ?? {};
  if (!peerCertificate) return undefined;
  return {
    source: 'tls',
    format: 'tls',
    certificate: viewCertificate(peerCertificate, services.clock.now()),
    chain: [],
    trusted: peerError === undefined,
    verifyError: peerError ?? null,
  };
}

export function verifyClaims(headers: HeaderList): VerifyClaims {
  const first = (names: readonly string[]) => {
    const name = names.find((one) => headers.has(one));
    return name === undefined ? null : headers.first(name)!;
  };
  return {
    header: first(claimHeaders.header),
    headerSubject: first(claimHeaders.headerSubject),
    headerIssuer: first(claimHeaders.headerIssuer),
    headerSerial: first(claimHeaders.headerSerial),
  };
}

function fromRfc9440(headers: HeaderList, nowMs: number): CertificateSource | undefined {
  const leaf = headers.get('client-cert');
  if (leaf === undefined) return undefined;
  const chain = headers.get('client-cert-chain');
  return {
    source: 'header:client-cert',
    format: 'rfc9440',
    certificate: reading('client-cert', () =>
      viewCertificate(onlyOne(certificatesOfByteSequences(leaf)), nowMs),
    ),
    chain:
      chain === undefined
        ? []
        : reading('client-cert-chain', () =>
            certificatesOfByteSequences(chain).map((der) => viewCertificate(der, nowMs)),
          ),
  };
}

/** The first element speaks of the client furthest away. */
function fromXfcc(headers: HeaderList, nowMs: number): CertificateSource | undefined {
  const name = 'x-forwarded-client-cert';
  const value = headers.get(name);
  if (value === undefined) return undefined;
  return reading(name, () => {
    const elements = parseXfcc(value);
    const [element] = elements;
    if (!element) throw new RangeError('it has no element');
    const views = [element.cert, element.chain].map((text) =>
      text === undefined
        ? []
        : certificatesOfText(text).certificates.map((der) => viewCertificate(der, nowMs)),
    );
    const [[certificate] = [], all = []] = views;
    // Envoy's Chain repeats the leaf.
    const chain = all.filter(({ fingerprints }) => fingerprints.sha256 !== certificate?.fingerprints.sha256);
    return { source: `header:${name}`, format: 'xfcc', certificate, chain, elements };
  });
}

function fromText(headers: HeaderList, name: string, nowMs: number): CertificateSource | undefined {
  const value = headers.first(name);
  // nginx sends the field empty when there was no certificate.
  if (value === undefined || value === '' || value === '(null)') return undefined;
  return reading(name, () => {
    const { format, certificates } = certificatesOfText(value);
    const [certificate, ...chain] = certificates.map((der) => viewCertificate(der, nowMs));
    return { source: `header:${name}`, format, certificate, chain };
  });
}

function onlyOne(certificates: readonly Buffer[]): Buffer {
  const [one, ...rest] = certificates;
  if (!one || rest.length > 0) throw new RangeError('exactly one certificate was expected');
  return one;
}

function reading<Result>(header: string, read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    throw fault('client-cert.malformed', { header, reason: (cause as Error).message }, [], { cause });
  }
}
