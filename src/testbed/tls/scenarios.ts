export type ScenarioCategory = 'certificate' | 'protocol' | 'cipher' | 'client-auth' | 'alpn';
export type TlsVersion = '1.0' | '1.1' | '1.2' | '1.3';

/** One way a TLS server can be: what it shows, what it speaks, and what a client with default settings makes of it. */
export interface TlsScenario {
  readonly number: number;
  readonly id: string;
  readonly name: string;
  readonly category: ScenarioCategory;
  readonly description: string;
  readonly certificate: ScenarioCertificate;
  readonly tls: { readonly min: TlsVersion; readonly max: TlsVersion };
  /** OpenSSL cipher list; `default` for what a careful server offers. */
  readonly ciphers: string;
  readonly alpn: readonly string[];
  readonly clientAuth: 'none' | 'optional' | 'required';
  /** For a client that trusts the test root; `varies` where good clients disagree. */
  readonly expected: 'ok' | 'fail' | 'varies';
  /** What the client says when it refuses; null where it does not. */
  readonly expectedError: ScenarioError;
}

export interface ScenarioCertificate {
  readonly subject: string;
  readonly issuer: string;
  readonly keyType: string;
  readonly keyBits: number;
  readonly signature: string;
  readonly sanCount: number;
  readonly validity: 'current' | 'expired' | 'not yet valid';
}

export interface ScenarioError {
  readonly openssl: string | null;
  readonly curl: string | null;
  readonly node: string | null;
}

/** Scenario n listens at this port plus n - 1. */
export const TLS_BASE_PORT = 20443;

export const portOf = ({ number }: Pick<TlsScenario, 'number'>): number => TLS_BASE_PORT + number - 1;

const leaf: ScenarioCertificate = {
  subject: 'CN=localhost',
  issuer: 'CN=Test Intermediate',
  keyType: 'RSA',
  keyBits: 2048,
  signature: 'SHA-256',
  sanCount: 4,
  validity: 'current',
};
const noError: ScenarioError = { openssl: null, curl: null, node: null };
const common = {
  certificate: leaf,
  tls: { min: '1.2', max: '1.3' },
  ciphers: 'default',
  alpn: ['h2', 'http/1.1'],
  clientAuth: 'none',
  expected: 'ok',
  expectedError: noError,
} as const satisfies Partial<TlsScenario>;

type Row = Partial<Omit<TlsScenario, 'number' | 'certificate' | 'expectedError'>> & {
  readonly id: string;
  readonly name: string;
  readonly category: ScenarioCategory;
  readonly description: string;
  readonly certificate?: Partial<ScenarioCertificate>;
  /** OpenSSL's word, curl's exit code and Node's code; a scenario with them is expected to fail unless it says else. */
  readonly error?: readonly [openssl: string | null, curl: string | null, node: string | null];
};

function numbered(rows: readonly Row[], firstNumber: number): readonly TlsScenario[] {
  return rows.map(({ error, certificate, ...row }, index) => ({
    number: firstNumber + index,
    ...common,
    ...(error && {
      expected: 'fail' as const,
      expectedError: { openssl: error[0], curl: error[1], node: error[2] },
    }),
    ...row,
    certificate: { ...leaf, ...certificate },
  }));
}

const only = (version: TlsVersion) => ({ min: version, max: version });

/** The 40 scenarios of the service (spec 1 §1). */
export const scenarios: readonly TlsScenario[] = numbered(
  [
    {
      id: 'valid',
      name: 'Valid certificate',
      category: 'certificate',
      description: 'RSA 2048 with SHA-256 and its full chain: the one that must work.',
    },
    {
      id: 'ecc256',
      name: 'ECDSA P-256',
      category: 'certificate',
      description: 'A key on the curve P-256.',
      certificate: { keyType: 'EC P-256', keyBits: 256 },
    },
    {
      id: 'ecc384',
      name: 'ECDSA P-384',
      category: 'certificate',
      description: 'A key on the curve P-384, signed with SHA-384.',
      certificate: { keyType: 'EC P-384', keyBits: 384, signature: 'SHA-384' },
    },
    {
      id: 'rsa4096',
      name: 'RSA 4096',
      category: 'certificate',
      description: 'A large RSA key, signed with SHA-512.',
      certificate: { keyBits: 4096, signature: 'SHA-512' },
    },
    {
      id: 'ed25519',
      name: 'Ed25519',
      category: 'certificate',
      description: 'An Ed25519 key. Old Java and Windows clients end with handshake_failure.',
      certificate: { keyType: 'Ed25519', keyBits: 256 },
    },
    {
      id: 'ml-dsa-65',
      name: 'ML-DSA-65',
      category: 'certificate',
      description: 'A post-quantum key. Clients before OpenSSL 3.5 end with handshake_failure.',
      certificate: { keyType: 'ML-DSA-65', keyBits: 15616 },
      tls: only('1.3'),
      expected: 'varies',
      error: ['sslv3 alert handshake failure', '35', 'EPROTO'],
    },
    {
      id: 'expired',
      name: 'Expired',
      category: 'certificate',
      description: 'The certificate ended yesterday.',
      certificate: { validity: 'expired' },
      error: ['certificate has expired', '60', 'CERT_HAS_EXPIRED'],
    },
    {
      id: 'not-yet-valid',
      name: 'Not yet valid',
      category: 'certificate',
      description: 'The certificate begins in a year.',
      certificate: { validity: 'not yet valid' },
      error: ['certificate is not yet valid', '60', 'CERT_NOT_YET_VALID'],
    },
    {
      id: 'self-signed',
      name: 'Self-signed',
      category: 'certificate',
      description: 'The certificate signs itself.',
      certificate: { issuer: 'CN=localhost' },
      error: ['self-signed certificate', '60', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    },
    {
      id: 'untrusted-root',
      name: 'Untrusted root',
      category: 'certificate',
      description: 'A whole chain to a root that nobody trusts; the root is sent along.',
      certificate: { issuer: 'CN=Untrusted Root' },
      error: ['self-signed certificate in certificate chain', '60', 'SELF_SIGNED_CERT_IN_CHAIN'],
    },
    {
      id: 'wrong-host',
      name: 'Wrong host',
      category: 'certificate',
      description: 'The only name is wrong.host.badssl.test.',
      certificate: { subject: 'CN=wrong.host.badssl.test', sanCount: 1 },
      error: ['hostname mismatch', '60', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    },
    {
      id: 'incomplete-chain',
      name: 'Incomplete chain',
      category: 'certificate',
      description: 'The intermediate is not sent. Clients that fetch it by AIA pass.',
      error: ['unable to get local issuer certificate', '60', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    },
    {
      id: 'misordered-chain',
      name: 'Misordered chain',
      category: 'certificate',
      description: 'Leaf, root, intermediate. Only clients that take RFC 5246 to the letter refuse it.',
    },
    {
      id: 'expired-intermediate',
      name: 'Expired intermediate',
      category: 'certificate',
      description: 'The leaf is good, the intermediate has ended.',
      error: ['certificate has expired', '60', 'CERT_HAS_EXPIRED'],
    },
    {
      id: 'intermediate-not-ca',
      name: 'Intermediate is no CA',
      category: 'certificate',
      description: 'The intermediate says CA:FALSE.',
      error: ['invalid CA certificate', '60', 'INVALID_PURPOSE'],
    },
    {
      id: 'no-common-name',
      name: 'No common name',
      category: 'certificate',
      description: 'The common name is empty, the alternative names are there.',
      certificate: { subject: 'CN=' },
    },
    {
      id: 'no-san',
      name: 'No alternative names',
      category: 'certificate',
      description: 'Only a common name. curl and Node still accept it; Go, Java and browsers do not.',
      certificate: { sanCount: 0 },
      expected: 'varies',
    },
    {
      id: 'no-subject',
      name: 'No subject',
      category: 'certificate',
      description: 'The subject is empty, so the alternative names are critical.',
      certificate: { subject: '' },
    },
    {
      id: 'wrong-eku',
      name: 'Wrong extended key usage',
      category: 'certificate',
      description: 'The certificate is for clients only.',
      error: ['unsuitable certificate purpose', '60', 'INVALID_PURPOSE'],
    },
    {
      id: 'name-constraints',
      name: 'Name constraints',
      category: 'certificate',
      description: 'The intermediate may only sign names below .example.test.',
      error: ['permitted subtree violation', '60', 'UNSPECIFIED'],
    },
    {
      id: 'revoked',
      name: 'Revoked',
      category: 'certificate',
      description:
        'On the revocation list, and the stapled OCSP answer says so. Clients that do not look pass.',
      expected: 'varies',
      error: ['certificate revoked', '91 with --cert-status', null],
    },
    {
      id: 'must-staple-missing',
      name: 'Must-staple without staple',
      category: 'certificate',
      description:
        'The certificate demands a stapled OCSP answer and there is none. Firefox refuses it, curl and Node do not.',
      expected: 'varies',
    },
    {
      id: 'sha1-signature',
      name: 'SHA-1 signature',
      category: 'certificate',
      description: 'Signed with SHA-1. Accepted by clients at security level 0.',
      certificate: { signature: 'SHA-1' },
      ciphers: 'DEFAULT:@SECLEVEL=0',
      error: ['CA signature digest algorithm too weak', '60', 'UNSPECIFIED'],
    },
    {
      id: 'md5-signature',
      name: 'MD5 signature',
      category: 'certificate',
      description: 'Signed with MD5. Accepted by clients at security level 0.',
      certificate: { signature: 'MD5' },
      ciphers: 'DEFAULT:@SECLEVEL=0',
      error: ['CA signature digest algorithm too weak', '60', 'UNSPECIFIED'],
    },
    {
      id: 'rsa1024',
      name: 'RSA 1024',
      category: 'certificate',
      description: 'A key too small for today. Accepted by clients at security level 1.',
      certificate: { keyBits: 1024 },
      ciphers: 'DEFAULT:@SECLEVEL=0',
      error: ['EE certificate key too weak', '60', 'UNSPECIFIED'],
    },
    {
      id: 'rsa512',
      name: 'RSA 512',
      category: 'certificate',
      description: 'A key that can be broken in hours.',
      certificate: { keyBits: 512 },
      tls: only('1.2'),
      ciphers: 'ALL:@SECLEVEL=0',
      error: ['EE certificate key too weak', '60', 'UNSPECIFIED'],
    },
    {
      id: 'sans-1000',
      name: '1000 alternative names',
      category: 'certificate',
      description: 'A certificate of about 25 KB: tests buffers.',
      certificate: { sanCount: 1000 },
    },
    {
      id: 'tls-v1-0',
      name: 'TLS 1.0 only',
      category: 'protocol',
      description: 'Accepted only by clients that allow TLS 1.0 at security level 0.',
      tls: only('1.0'),
      ciphers: 'ALL:@SECLEVEL=0',
      error: ['legacy sigalg disallowed or unsupported', '35', 'EPROTO'],
    },
    {
      id: 'tls-v1-1',
      name: 'TLS 1.1 only',
      category: 'protocol',
      description: 'Accepted only by clients that allow TLS 1.1 at security level 0.',
      tls: only('1.1'),
      ciphers: 'ALL:@SECLEVEL=0',
      error: ['legacy sigalg disallowed or unsupported', '35', 'EPROTO'],
    },
    {
      id: 'tls-v1-2',
      name: 'TLS 1.2 only',
      category: 'protocol',
      description: 'The older of the two good versions.',
      tls: only('1.2'),
    },
    {
      id: 'tls-v1-3',
      name: 'TLS 1.3 only',
      category: 'protocol',
      description: 'A client that stops at TLS 1.2 gets the alert protocol_version.',
      tls: only('1.3'),
    },
    {
      id: 'static-rsa',
      name: 'Static RSA',
      category: 'cipher',
      description:
        'No forward secrecy: the key exchange is RSA. Clients that insist on it end with handshake_failure.',
      tls: only('1.2'),
      ciphers: 'AES128-GCM-SHA256:AES256-GCM-SHA384',
    },
    {
      id: 'cbc',
      name: 'CBC suites',
      category: 'cipher',
      description: 'Only AES in CBC mode.',
      tls: { min: '1.0', max: '1.2' },
      ciphers: 'ECDHE-RSA-AES128-SHA:AES128-SHA:@SECLEVEL=0',
    },
    {
      id: 'null-cipher',
      name: 'NULL cipher',
      category: 'cipher',
      description: 'Signed but not encrypted.',
      tls: only('1.2'),
      ciphers: 'NULL-SHA256:@SECLEVEL=0',
      error: ['sslv3 alert handshake failure', '35', 'EPROTO'],
    },
    {
      id: 'dh1024',
      name: 'DH 1024',
      category: 'cipher',
      description: 'A Diffie-Hellman group of 1024 bits.',
      tls: only('1.2'),
      ciphers: 'DHE-RSA-AES128-GCM-SHA256:@SECLEVEL=0',
      error: ['dh key too small', '35', 'EPROTO'],
    },
    {
      id: 'sha1-handshake',
      name: 'SHA-1 handshake signature',
      category: 'cipher',
      description: 'The certificate is good, but the server signs the handshake with SHA-1.',
      tls: only('1.2'),
      ciphers: 'DEFAULT:@SECLEVEL=0',
      error: ['sslv3 alert handshake failure', '35', 'EPROTO'],
    },
    {
      id: 'mtls-required',
      name: 'Client certificate required',
      category: 'client-auth',
      description: 'Refuses clients without a certificate of the test client CA.',
      clientAuth: 'required',
      error: ['tlsv13 alert certificate required', '56', 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'],
    },
    {
      id: 'mtls-optional',
      name: 'Client certificate optional',
      category: 'client-auth',
      description: 'Asks for a certificate and takes any, or none; /client-cert tells what came.',
      clientAuth: 'optional',
    },
    {
      id: 'mtls-untrusted-ca',
      name: 'Client certificate of an unknown CA',
      category: 'client-auth',
      description: 'Asks for certificates of a CA that nobody has: everybody is refused.',
      clientAuth: 'required',
      error: ['tlsv1 alert unknown ca', '56', 'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA'],
    },
    {
      id: 'alpn-h2-only',
      name: 'HTTP/2 only',
      category: 'alpn',
      description: 'Offers h2 alone; a client that offers only http/1.1 gets no_application_protocol.',
      alpn: ['h2'],
      expected: 'varies',
      error: ['tlsv1 alert no application protocol', '35', 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL'],
    },
  ],
  1,
);

/** More than the specification counts, on the ports behind. */
export const extraScenarios: readonly TlsScenario[] = numbered(
  [
    {
      id: 'anon-ecdh',
      name: 'Anonymous ECDH',
      category: 'cipher',
      description: 'No certificate at all: nobody knows whom they talk to.',
      tls: only('1.2'),
      ciphers: 'AECDH-AES128-SHA:@SECLEVEL=0',
      error: ['sslv3 alert handshake failure', '35', 'EPROTO'],
    },
    {
      id: 'dh-composite',
      name: 'Composite DH modulus',
      category: 'cipher',
      description: 'The Diffie-Hellman modulus is no prime; a client cannot cheaply tell.',
      tls: only('1.2'),
      ciphers: 'DHE-RSA-AES128-GCM-SHA256',
      expected: 'varies',
    },
    {
      id: 'chacha20-only',
      name: 'ChaCha20 only',
      category: 'cipher',
      description: 'One cipher suite of each TLS version.',
      ciphers: 'TLS_CHACHA20_POLY1305_SHA256:ECDHE-RSA-CHACHA20-POLY1305',
    },
    {
      id: 'x25519mlkem768-only',
      name: 'Post-quantum key exchange only',
      category: 'cipher',
      description: 'The only group is X25519MLKEM768.',
      tls: only('1.3'),
      expected: 'varies',
      error: ['sslv3 alert handshake failure', '35', 'EPROTO'],
    },
    {
      id: 'alpn-http1-only',
      name: 'HTTP/1.1 only',
      category: 'alpn',
      description: 'Offers http/1.1 alone.',
      alpn: ['http/1.1'],
    },
    { id: 'alpn-none', name: 'No ALPN', category: 'alpn', description: 'Answers no ALPN at all.', alpn: [] },
    {
      id: 'sans-10000',
      name: '10000 alternative names',
      category: 'certificate',
      description: 'A certificate of about 250 KB, beyond what OpenSSL clients read.',
      certificate: { sanCount: 10_000 },
      error: ['excessive message size', '35', 'EPROTO'],
    },
    {
      id: 'plain-http',
      name: 'HTTP on a TLS port',
      category: 'protocol',
      description: 'The server speaks plain HTTP.',
      error: ['wrong version number', '35', 'EPROTO'],
    },
    {
      id: 'handshake-stall',
      name: 'Stalled handshake',
      category: 'protocol',
      description: 'Accepts the connection and never answers: the client must give up by itself.',
      error: [null, '28', 'ETIMEDOUT'],
    },
    {
      id: 'handshake-reset',
      name: 'Reset handshake',
      category: 'protocol',
      description: 'Resets the connection after the ClientHello.',
      error: ['connection reset by peer', '35', 'ECONNRESET'],
    },
    {
      id: 'alert-only',
      name: 'Alert instead of a handshake',
      category: 'protocol',
      description: 'Answers every ClientHello with the fatal alert handshake_failure.',
      error: ['sslv3 alert handshake failure', '35', 'EPROTO'],
    },
    {
      id: 'sslv3-alert',
      name: 'SSL 3.0 alert',
      category: 'protocol',
      description: 'Answers every ClientHello with protocol_version, as an SSL 3.0 server would.',
      error: ['tlsv1 alert protocol version', '35', 'EPROTO'],
    },
    {
      id: 'no-close-notify',
      name: 'No close_notify',
      category: 'protocol',
      description:
        'Closes the connection without the alert that ends it: the answer may have been truncated.',
      expected: 'varies',
      error: ['unexpected eof while reading', '56', 'ECONNRESET'],
    },
    {
      id: 'renegotiation-refused',
      name: 'Renegotiation refused',
      category: 'protocol',
      description: 'TLS 1.2 that refuses to renegotiate.',
      tls: only('1.2'),
    },
  ],
  scenarios.length + 1,
);

/** What this platform cannot serve, and why. */
export const impossibleScenarios = [
  { id: 'ssl-v2', reason: 'OpenSSL 3 has no SSL 2.0.' },
  { id: 'ssl-v3', reason: 'OpenSSL 3 as Node builds it has no SSL 3.0.' },
  { id: 'rc4', reason: 'No RC4 suite is compiled in.' },
  { id: '3des', reason: 'No 3DES suite is compiled in.' },
  { id: 'export', reason: 'EXPORT suites were removed from OpenSSL.' },
  { id: 'seed-idea', reason: 'Neither SEED nor IDEA suites are compiled in.' },
  { id: 'dh480-dh512', reason: 'Node refuses Diffie-Hellman groups below 1024 bits.' },
  { id: 'ev', reason: 'Clients treat no private authority as extended validation.' },
  { id: 'sct', reason: 'Certificate transparency needs public logs; only its absence can be shown.' },
] as const;
