import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import {
  type Authority,
  type CertificateProfile,
  issueCertificate,
  selfSigned,
  serialNumberOf,
} from './certificate.ts';
import { generateKeySync, type KeyKind, type KeyPair } from './keys.ts';
import { bundlePem, certificatePem } from './pem.ts';
import type { SignatureSchemeName } from './signature-schemes.ts';
import { testWith } from './testing/tools.ts';

const day = 86_400_000;
const [notBefore, notAfter] = [new Date(Date.now() - day), new Date(Date.now() + 300 * day)];

const rootKeys = generateKeySync('p-256');
const root: Authority = {
  privateKey: rootKeys.privateKey,
  certificate: selfSigned(
    {
      subject: [
        ['C', 'TR'],
        ['O', 'Gatehouse, Ltd'],
        ['CN', 'Test Root ğ'],
      ],
      notBefore,
      notAfter,
      extensions: { basicConstraints: { ca: true }, keyUsage: ['keyCertSign', 'cRLSign'] },
    },
    rootKeys,
  ),
};

const leafKeys = generateKeySync('p-256');

function leaf(profile: Partial<CertificateProfile> = {}): Buffer {
  const subject = [['CN', 'localhost']] as const;
  return issueCertificate({ subject, notBefore, notAfter, publicKey: leafKeys.publicKey, ...profile }, root);
}

test('a root signs itself and a leaf is signed by its authority', () => {
  const rootView = new X509Certificate(root.certificate);
  assert.equal(rootView.subject, 'C=TR\nO=Gatehouse\\, Ltd\nCN=Test Root ğ');
  assert.equal(rootView.ca, true);
  assert.ok(rootView.verify(rootKeys.publicKey));
  const view = new X509Certificate(leaf());
  assert.ok(view.checkIssued(rootView));
  assert.ok(view.verify(rootKeys.publicKey));
  assert.ok(view.checkPrivateKey(leafKeys.privateKey));
  assert.equal(view.ca, false);
});

test('times are kept to the second, on both sides of 2050', () => {
  const times = [
    '1949-12-31T23:59:59Z',
    '1950-01-01T00:00:00Z',
    '2049-12-31T23:59:59Z',
    '2050-01-01T00:00:00Z',
  ];
  for (const text of times) {
    const date = new Date(text);
    const view = new X509Certificate(leaf({ notBefore: date, notAfter: date }));
    assert.equal(view.validFromDate.getTime(), date.getTime(), text);
    assert.equal(view.validToDate.getTime(), date.getTime(), text);
  }
});

test('a serial number is kept, and otherwise is positive, long and never the same', () => {
  for (const serialNumber of [0n, 1n, 0x7fn, 0x80n, 0xffff_ffff_ffffn]) {
    const certificate = leaf({ serialNumber });
    assert.equal(serialNumberOf(certificate), serialNumber);
    assert.equal(BigInt(`0x${new X509Certificate(certificate).serialNumber}`), serialNumber);
  }
  assert.equal(new X509Certificate(leaf()).serialNumber.length, 32);
  assert.notEqual(serialNumberOf(leaf()), serialNumberOf(leaf()));
});

test('every extension is there as asked for, and none that was not', () => {
  const certificate = leaf({
    extensions: {
      basicConstraints: { ca: false },
      extendedKeyUsage: ['serverAuth', 'clientAuth'],
      alternativeNames: {
        dns: ['*.badssl.test'],
        ip: ['127.0.0.1', '::1', '2001:db8::1:2', '::ffff:192.0.2.7'],
      },
      ocspUrls: ['http://ca.test/ocsp'],
      issuerUrls: ['http://ca.test/ca.crt'],
    },
  });
  const view = new X509Certificate(certificate);
  assert.equal(
    view.subjectAltName,
    'DNS:*.badssl.test, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, IP Address:2001:DB8:0:0:0:0:1:2, IP Address:0:0:0:0:0:FFFF:C000:207',
  );
  assert.deepEqual(view.keyUsage, ['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2']);
  assert.equal(view.infoAccess, 'OCSP - URI:http://ca.test/ocsp\nCA Issuers - URI:http://ca.test/ca.crt');
  const bare = leaf({ extensions: { subjectKeyIdentifier: false, authorityKeyIdentifier: false } });
  assert.equal(bare.includes(Buffer.from('551d', 'hex')), false);
  assert.throws(() => leaf({ extensions: { alternativeNames: { ip: ['localhost'] } } }), RangeError);
});

test('a certificate may have no subject and thousands of names', () => {
  const dns = Array.from({ length: 10_000 }, (_, index) => `host-${index}.badssl.test`);
  const certificate = leaf({ subject: [], extensions: { alternativeNames: { dns, isCritical: true } } });
  const view = new X509Certificate(certificate);
  assert.equal(view.subject ?? '', '');
  assert.equal(view.subjectAltName?.split(', ').length, 10_000);
  assert.equal(view.checkHost('host-9999.badssl.test'), 'host-9999.badssl.test');
});

const schemesOfKinds: ReadonlyArray<readonly [KeyKind, readonly SignatureSchemeName[]]> = [
  ['rsa-512', ['rsa-md5', 'rsa-sha1', 'rsa-sha256']],
  ['rsa-1024', ['rsa-sha384', 'rsa-sha512', 'rsa-pss-sha256', 'rsa-pss-sha384']],
  ['rsa-2048', ['rsa-md5', 'rsa-sha256', 'rsa-pss-sha512']],
  ['p-256', ['ecdsa-sha256', 'ecdsa-sha1']],
  ['p-384', ['ecdsa-sha384']],
  ['p-521', ['ecdsa-sha512']],
  ['ed25519', ['ed25519']],
  ['ed448', ['ed448']],
  ['dsa', ['dsa-sha256']],
  ['ml-dsa-65', ['ml-dsa-65']],
];

for (const [kind, schemes] of schemesOfKinds) {
  test(`a ${kind} key signs with ${schemes.join(', ')}`, () => {
    const keys: KeyPair = generateKeySync(kind);
    for (const scheme of schemes) {
      const certificate = selfSigned({ subject: [['CN', kind]], notBefore, notAfter }, keys, scheme);
      const view = new X509Certificate(certificate);
      assert.ok(view.verify(keys.publicKey), scheme);
      assert.equal(view.toString(), certificatePem(certificate));
    }
    const customary = selfSigned({ subject: [], notBefore, notAfter }, keys);
    assert.ok(new X509Certificate(customary).verify(keys.publicKey));
  });
}

testWith('openssl', 'reads every extension as it was meant', (run, put) => {
  const certificate = leaf({
    extensions: {
      basicConstraints: { ca: true, pathLength: 0 },
      keyUsage: ['digitalSignature', 'keyCertSign', 'decipherOnly'],
      extendedKeyUsage: ['serverAuth', 'ocspSigning'],
      alternativeNames: {
        dns: ['a.test'],
        email: ['a@a.test'],
        uri: ['urn:a'],
        ip: ['10.0.0.1'],
        isCritical: true,
      },
      nameConstraints: {
        permitted: { dns: ['.example.test'], ip: ['10.0.0.0/9'] },
        excluded: { dns: ['bad.example.test'] },
      },
      crlUrls: ['http://ca.test/1.crl', 'http://ca.test/2.crl'],
      ocspUrls: ['http://ca.test/ocsp'],
      mustStaple: true,
      policies: ['2.23.140.1.1'],
      ocspNoCheck: true,
    },
  });
  const text = run('x509', '-noout', '-text', '-in', put('leaf.pem', certificatePem(certificate)));
  const wanted = [
    /Basic Constraints: critical\s+CA:TRUE, pathlen:0\n/,
    /Key Usage: critical\s+Digital Signature, Certificate Sign, Decipher Only\n/,
    /Extended Key Usage:\s+TLS Web Server Authentication, OCSP Signing\n/,
    /Alternative Name: critical\s+email:a@a\.test, DNS:a\.test, URI:urn:a, IP Address:10\.0\.0\.1\n/,
    /Name Constraints: critical\s+Permitted:\s+DNS:\.example\.test\s+IP:10\.0\.0\.0\/255\.128\.0\.0\s+Excluded:\s+DNS:bad\.example\.test\n/,
    /Full Name:\s+URI:http:\/\/ca\.test\/1\.crl\s+Full Name:\s+URI:http:\/\/ca\.test\/2\.crl\n/,
    /Authority Information Access:\s+OCSP - URI:http:\/\/ca\.test\/ocsp\n/,
    /TLS Feature:\s+status_request\n/,
    /Policy: 2\.23\.140\.1\.1\n/,
    /OCSP No Check:\s*\n/,
    /Subject Key Identifier:\s+[0-9A-F]{2}:/,
    /Authority Key Identifier:\s+(?:keyid:)?[0-9A-F]{2}:/,
  ];
  for (const pattern of wanted) assert.match(text, pattern);
});

testWith('openssl', 'verifies a chain, and refuses what name constraints forbid', (run, put) => {
  const middleKeys = generateKeySync('rsa-2048');
  const below = (permitted: string) => {
    const middle = issueCertificate(
      {
        subject: [['CN', 'Intermediate']],
        publicKey: middleKeys.publicKey,
        notBefore,
        notAfter,
        extensions: {
          basicConstraints: { ca: true, pathLength: 0 },
          keyUsage: ['keyCertSign'],
          nameConstraints: { permitted: { dns: [permitted] } },
        },
      },
      root,
    );
    const server = issueCertificate(
      {
        subject: [],
        publicKey: leafKeys.publicKey,
        notBefore,
        notAfter,
        extensions: {
          alternativeNames: { dns: ['www.badssl.test'], isCritical: true },
          extendedKeyUsage: ['serverAuth'],
        },
      },
      { certificate: middle, privateKey: middleKeys.privateKey },
      'rsa-pss-sha256',
    );
    const files = [put('root.pem', certificatePem(root.certificate)), put('middle.pem', bundlePem([middle]))];
    const args = ['-x509_strict', '-purpose', 'sslserver', '-CAfile', files[0]!, '-untrusted', files[1]!];
    return run('verify', ...args, put('leaf.pem', certificatePem(server)));
  };
  assert.match(below('badssl.test'), /leaf\.pem: OK/);
  assert.throws(() => below('example.test'), /permitted subtree violation/);
});
