import { Type } from 'typebox';
import { type PlainAnswer, reply } from '../../kernel/catalogue/answer.ts';
import { json, problem, rawBody, text } from '../../kernel/catalogue/declarations.ts';
import { fault } from '../../kernel/faults.ts';
import { type CertificateView, viewCertificate } from '../client-certificate/certificate.ts';
import { conflictsOf } from '../client-certificate/conflicts.ts';
import { certificatesOfFile } from '../client-certificate/encodings.ts';
import {
  base64Of,
  exampleBundle,
  exampleCa,
  exampleClient,
  expiredClient,
} from '../client-certificate/example-certificates.ts';
import {
  type CertificateSource,
  certificateHeaders,
  certificateSources,
  tlsSource,
  verifyClaims,
} from '../client-certificate/sources.ts';
import { endpoint, type TestbedCall, type TestbedEndpoint } from '../endpoint.ts';

const group = 'Client Certificate';
const MAX_FILE_BYTES = 1024 * 1024;

const malformed = problem('A header field holds no certificate; the answer names the field.');
const escaped = encodeURIComponent(exampleClient);
const escapedExpired = encodeURIComponent(expiredClient);
const CLIENT_SHA256 = '6dc5a54077f08c1fa896168948b6e7b4393df0df3ee3b8f273060a1aa1a78524';
const client = {
  subject: 'CN=client,O=Example\\, Inc,C=TR',
  issuer: 'CN=Example Test CA,O=Example Test',
  serialNumber: '1234ABCE',
  notBefore: '2020-01-01T00:00:00.000Z',
  notAfter: '2120-01-01T00:00:00.000Z',
  publicKey: { type: 'ec', curve: 'prime256v1' },
  signatureAlgorithm: 'ecdsa-with-SHA256',
  keyUsage: ['digitalSignature', 'keyAgreement'],
  extendedKeyUsage: ['clientAuth', 'serverAuth'],
  selfSigned: false,
  expired: false,
};

const single = {
  subject: ['The subject of the certificate.', ({ subject }: CertificateView) => subject],
  issuer: ['The issuer of the certificate.', ({ issuer }: CertificateView) => issuer],
  serial: ['The serial number, in hex.', ({ serialNumber }: CertificateView) => serialNumber],
  fingerprint: [
    'The SHA-256 of the certificate, in hex.',
    ({ fingerprints }: CertificateView) => fingerprints.sha256,
  ],
  pem: ['The certificate itself.', ({ pem }: CertificateView) => pem],
} as const;
const shownExamples: Readonly<Record<keyof typeof single, string>> = {
  subject: client.subject,
  issuer: client.issuer,
  serial: client.serialNumber,
  fingerprint: CLIENT_SHA256,
  pem: exampleClient,
};

export const clientCertificate: readonly TestbedEndpoint[] = [
  endpoint({
    id: 'client-cert',
    group,
    methods: ['GET'],
    path: '/client-cert',
    summary: 'The client certificate that the proxy in front passes on.',
    description:
      'Looks, in this order, at Client-Cert and Client-Cert-Chain (RFC 9440), X-Forwarded-Client-Cert (Envoy), X-SSL-Client-Cert and ssl-client-cert (nginx), X-Client-Cert, X-ARR-ClientCert (Azure), SSL_CLIENT_CERT (Apache), and the TLS connection.',
    responses: { 200: json('The certificate, or `present: false`.'), 400: malformed },
    examples: [
      {
        name: 'RFC 9440 with a chain',
        headers: [
          'Client-Cert',
          `:${base64Of(exampleClient)}:`,
          'Client-Cert-Chain',
          `:${base64Of(exampleCa)}:`,
        ],
        expect: {
          status: 200,
          json: { present: true, source: 'header:client-cert', format: 'rfc9440', certificate: client },
        },
      },
      {
        name: 'nginx: escaped PEM, with what nginx verified',
        headers: [
          'X-SSL-Client-Cert',
          escaped,
          'X-SSL-Client-Verify',
          'SUCCESS',
          'X-SSL-Client-S-DN',
          client.subject,
        ],
        expect: {
          status: 200,
          json: {
            source: 'header:x-ssl-client-cert',
            format: 'url-encoded-pem',
            certificate: {
              ...client,
              fingerprints: { sha256: CLIENT_SHA256 },
              san: [
                'DNS:client.example',
                'URI:spiffe://example/client',
                'IP:192.0.2.7',
                'IP:2001:db8::7',
                'email:client@example.org',
              ],
            },
            verify: { header: 'SUCCESS', headerSubject: client.subject, headerIssuer: null },
          },
        },
      },
      {
        name: 'Envoy: several elements, the first one counts',
        headers: [
          'X-Forwarded-Client-Cert',
          `By=spiffe://mesh/a;Hash=abc;Cert="${escaped}";Subject="CN=client,O=\\"x;y\\"";DNS=a.example;DNS=b.example,By=spiffe://mesh/b;Hash=def`,
        ],
        expect: {
          status: 200,
          json: {
            source: 'header:x-forwarded-client-cert',
            format: 'xfcc',
            certificate: { serialNumber: '1234ABCE' },
          },
        },
      },
      {
        name: 'Apache: spaces where the line ends were',
        headers: ['SSL_CLIENT_CERT', exampleClient.trim().replaceAll('\n', ' ')],
        expect: {
          status: 200,
          json: { source: 'header:ssl_client_cert', format: 'pem', certificate: client },
        },
      },
      {
        name: 'Azure: bare Base64',
        headers: ['X-ARR-ClientCert', base64Of(exampleClient)],
        expect: { status: 200, json: { source: 'header:x-arr-clientcert', format: 'base64-der' } },
      },
      { name: 'none', expect: { status: 200, text: '{\n  "present": false\n}\n' } },
      {
        name: 'something else in the field',
        headers: ['X-Client-Cert', 'hello world'],
        expect: { status: 400, json: { header: 'x-client-cert' } },
      },
    ],
    handle: (call) => certificateAnswer(call, certificateSources(call)[0]),
  }),
  endpoint({
    id: 'client-cert-required',
    group,
    methods: ['GET'],
    path: '/client-cert/required',
    summary: 'The same, but refuses whoever has no good certificate.',
    responses: {
      200: json('The certificate.'),
      400: malformed,
      401: problem('There is none.'),
      403: problem('It is not valid today, or the proxy did not verify it.'),
    },
    examples: [
      {
        name: 'a good one',
        headers: ['X-SSL-Client-Cert', escaped, 'X-SSL-Client-Verify', 'SUCCESS'],
        expect: { status: 200, json: { present: true, certificate: { serialNumber: '1234ABCE' } } },
      },
      { name: 'none', expect: { status: 401, headers: { 'www-authenticate': 'ClientCertificate' } } },
      {
        name: 'expired',
        headers: ['X-SSL-Client-Cert', escapedExpired],
        expect: { status: 403, json: { reason: 'it expired on 2001-01-01T00:00:00.000Z' } },
      },
      {
        name: 'the proxy says it failed',
        headers: [
          'X-SSL-Client-Cert',
          escaped,
          'X-SSL-Client-Verify',
          'FAILED:unable to verify the first certificate',
        ],
        expect: { status: 403, json: { reason: /FAILED:unable/ } },
      },
    ],
    handle: (call) => {
      const [source] = certificateSources(call);
      if (!source) throw fault('client-cert.required', {}, ['WWW-Authenticate', 'ClientCertificate']);
      const reason = refusalOf(call, source.certificate);
      if (reason !== undefined) throw fault('client-cert.refused', { reason });
      return certificateAnswer(call, source);
    },
  }),
  ...Object.entries(single).map(([name, [summary, read]]) =>
    endpoint({
      id: `client-cert-${name}`,
      group,
      methods: ['GET'],
      path: `/client-cert/${name}`,
      summary,
      responses: {
        200:
          name === 'pem'
            ? { description: summary, content: { 'application/x-pem-file': Type.String() } }
            : text(summary),
        400: malformed,
        404: problem('There is no certificate.'),
      },
      examples: [
        {
          name: 'of a header',
          headers: ['X-SSL-Client-Cert', escaped],
          expect: {
            status: 200,
            text: shownExamples[name as keyof typeof single],
            headers: {
              'content-type': name === 'pem' ? 'application/x-pem-file' : 'text/plain; charset=utf-8',
            },
          },
        },
        { name: 'none', expect: { status: 404 } },
      ],
      handle: (call) => {
        const certificate = certificateSources(call)[0]?.certificate;
        if (!certificate) throw fault('client-cert.absent');
        const value = read(certificate);
        return name === 'pem' ? reply.bytes(value, 'application/x-pem-file') : reply.text(value);
      },
    }),
  ),
  endpoint({
    id: 'client-cert-headers',
    group,
    methods: ['GET'],
    path: '/client-cert/headers',
    summary: 'Every field that concerns client certificates, and which one would count.',
    description:
      'A `conflict` means that two sources tell of different certificates, by fingerprint, serial number, subject or issuer: a client may have forged a field that the gateway should have removed. `conflicts` says which of them say what.',
    responses: { 200: json('The fields as received, and the sources in order.'), 400: malformed },
    examples: [
      {
        name: 'two fields that disagree',
        headers: ['X-SSL-Client-Cert', escaped, 'X-Client-Cert', base64Of(exampleCa)],
        expect: { status: 200, json: { winner: 'header:x-ssl-client-cert', conflict: true } },
      },
      {
        name: 'a certificate and the name of somebody else',
        headers: ['X-SSL-Client-Cert', escaped, 'X-SSL-Client-S-DN', 'CN=root,O=Example\\, Inc,C=TR'],
        expect: {
          status: 200,
          json: {
            conflict: true,
            conflicts: [
              {
                member: 'subject',
                claims: [
                  { source: 'header:x-ssl-client-cert', value: client.subject },
                  { source: 'header:x-ssl-client-s-dn', value: 'CN=root,O=Example\\, Inc,C=TR' },
                ],
              },
            ],
          },
        },
      },
      {
        name: 'two fields that agree',
        headers: ['Client-Cert', `:${base64Of(exampleClient)}:`, 'X-ARR-ClientCert', base64Of(exampleClient)],
        expect: { status: 200, json: { winner: 'header:client-cert', conflict: false } },
      },
      {
        name: 'none',
        expect: { status: 200, json: { headers: [], winner: null, conflict: false, sources: [] } },
      },
    ],
    handle: (call) => {
      const sources = certificateSources(call);
      const conflicts = conflictsOf(sources, call.request.headers);
      return reply.json({
        headers: [...call.request.headers.pairs()].filter(([name]) =>
          certificateHeaders.has(name.toLowerCase()),
        ),
        winner: sources[0]?.source ?? null,
        conflict: conflicts.length > 0,
        conflicts,
        sources: sources.map(({ source, format, certificate }) => ({
          source,
          format,
          subject: certificate?.subject ?? null,
          sha256: certificate?.fingerprints.sha256 ?? null,
        })),
        verify: verifyClaims(call.request.headers),
      });
    },
  }),
  endpoint({
    id: 'client-cert-parse',
    group,
    methods: ['POST'],
    path: '/client-cert/parse',
    summary: 'Shows the certificates of a PEM, DER or PKCS #7 file.',
    body: {
      ...rawBody('application/x-pem-file', 'application/pkix-cert', 'application/x-pkcs7-certificates'),
      required: true,
    },
    responses: {
      200: json('The first certificate and the others.'),
      400: problem('There is no certificate in the body.'),
      413: problem('The body is larger than a megabyte.'),
    },
    examples: [
      {
        name: 'PEM',
        body: exampleClient,
        expect: { status: 200, json: { format: 'pem', certificate: client, chain: [] } },
      },
      {
        name: 'DER',
        body: Buffer.from(base64Of(exampleClient), 'base64'),
        expect: {
          status: 200,
          json: { format: 'der', certificate: { fingerprints: { sha256: CLIENT_SHA256 } } },
        },
      },
      {
        name: 'PKCS #7 without a signature',
        body: exampleBundle,
        expect: {
          status: 200,
          text: /"format": "pkcs7-pem"[\s\S]*"subject": "CN=client,[\s\S]*"subject": "CN=Example Test CA/,
        },
      },
      { name: 'something else', body: 'hello world', expect: { status: 400, json: { reason: /./ } } },
      { name: 'nothing', expect: { status: 400 } },
    ],
    handle: async ({ exchange, services }) => {
      const bytes = await exchange.body.bytes(
        Math.min(MAX_FILE_BYTES, services.settings.limits.maxBodyBytes),
      );
      if (bytes.length === 0) throw fault('body.required', { rule: 'send a PEM, DER or PKCS #7 file' });
      return parsedAnswer(bytes, services.clock.now());
    },
  }),
  endpoint({
    id: 'client-cert-tls',
    group,
    methods: ['GET'],
    path: '/client-cert/tls',
    summary: 'Only the certificate of the TLS connection itself.',
    responses: { 200: json('The certificate, or `present: false`.') },
    examples: [
      {
        name: 'a plain connection, whatever the fields say',
        headers: ['X-SSL-Client-Cert', escaped],
        expect: { status: 200, text: '{\n  "present": false\n}\n' },
      },
    ],
    handle: (call) => certificateAnswer(call, tlsSource(call)),
  }),
];

function certificateAnswer({ request }: TestbedCall, source: CertificateSource | undefined): PlainAnswer {
  if (!source) return reply.json({ present: false });
  const { certificate = null, ...rest } = source;
  return reply.json({ present: true, ...rest, certificate, verify: verifyClaims(request.headers) });
}

/** Why a certificate is not good enough; a proxy that sends no verdict is not held against it. */
function refusalOf({ request }: TestbedCall, certificate: CertificateView | undefined): string | undefined {
  if (!certificate) return 'the proxy did not send it along';
  if (certificate.expired) return `it expired on ${certificate.notAfter}`;
  if (certificate.notYetValid) return `it is valid only from ${certificate.notBefore}`;
  const { header } = verifyClaims(request.headers);
  return header === null || header === 'SUCCESS' ? undefined : `the proxy says ${header}`;
}

function parsedAnswer(bytes: Buffer, nowMs: number): PlainAnswer {
  try {
    const { format, certificates } = certificatesOfFile(bytes);
    const [certificate, ...chain] = certificates.map((der) => viewCertificate(der, nowMs));
    return reply.json({ format, certificate, chain });
  } catch (cause) {
    throw fault('client-cert.unreadable', { reason: (cause as Error).message }, [], { cause });
  }
}
