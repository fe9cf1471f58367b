import assert from 'node:assert/strict';
import { test } from 'node:test';
import { viewCertificate } from './certificate.ts';
import { certificatesOfByteSequences, certificatesOfFile, certificatesOfText } from './encodings.ts';
import { base64Of, exampleBundle, exampleCa, exampleClient, expiredClient } from './example-certificates.ts';
import { parseXfcc } from './xfcc.ts';

const der = (pem: string) => Buffer.from(base64Of(pem), 'base64');
const nowMs = Date.UTC(2026, 0, 1);

test('a certificate is shown with everything in it', () => {
  const { pem, ...view } = viewCertificate(der(exampleClient), nowMs);
  assert.equal(pem, exampleClient);
  assert.deepEqual(view, {
    subject: 'CN=client,O=Example\\, Inc,C=TR',
    issuer: 'CN=Example Test CA,O=Example Test',
    serialNumber: '1234ABCE',
    notBefore: '2020-01-01T00:00:00.000Z',
    notAfter: '2120-01-01T00:00:00.000Z',
    fingerprints: {
      sha1: '3f9b4c4f7e5fdc5580712c00361d3c1f8ccda278',
      sha256: '6dc5a54077f08c1fa896168948b6e7b4393df0df3ee3b8f273060a1aa1a78524',
    },
    publicKey: { type: 'ec', curve: 'prime256v1' },
    signatureAlgorithm: 'ecdsa-with-SHA256',
    san: [
      'DNS:client.example',
      'URI:spiffe://example/client',
      'IP:192.0.2.7',
      'IP:2001:db8::7',
      'email:client@example.org',
    ],
    keyUsage: ['digitalSignature', 'keyAgreement'],
    extendedKeyUsage: ['clientAuth', 'serverAuth'],
    selfSigned: false,
    expired: false,
    notYetValid: false,
  });
  assert.equal(viewCertificate(der(exampleCa), nowMs).selfSigned, true);
  assert.deepEqual(viewCertificate(der(exampleCa), nowMs).keyUsage, ['keyCertSign', 'cRLSign']);
});

test('a certificate is expired after its end and not yet valid before its begin', () => {
  assert.equal(viewCertificate(der(expiredClient), nowMs).expired, true);
  assert.equal(viewCertificate(der(expiredClient), Date.UTC(2000, 5)).expired, false);
  assert.equal(viewCertificate(der(exampleClient), Date.UTC(2019, 0)).notYetValid, true);
});

test('every form that proxies write is read', () => {
  const lines = exampleClient.trim();
  const forms: Array<[value: string, format: string]> = [
    [encodeURIComponent(exampleClient), 'url-encoded-pem'],
    [lines.replaceAll('\n', ' '), 'pem'],
    [lines.replaceAll('\n', '\t'), 'pem'],
    [lines.replaceAll('\n', ''), 'pem'],
    [base64Of(exampleClient), 'base64-der'],
  ];
  for (const [value, format] of forms) {
    const found = certificatesOfText(value);
    assert.equal(found.format, format);
    assert.deepEqual(found.certificates, [der(exampleClient)], format);
  }
  const both = certificatesOfText(encodeURIComponent(exampleClient + exampleCa));
  assert.deepEqual(both.certificates, [der(exampleClient), der(exampleCa)]);
});

test('files are read as PEM, DER, Base64 or PKCS #7', () => {
  const both = [der(exampleClient), der(exampleCa)];
  assert.deepEqual(certificatesOfFile(Buffer.from(exampleBundle)), {
    format: 'pkcs7-pem',
    certificates: both,
  });
  assert.deepEqual(certificatesOfFile(der(exampleBundle)), { format: 'pkcs7', certificates: both });
  assert.deepEqual(certificatesOfFile(der(exampleCa)), { format: 'der', certificates: [both[1]] });
  assert.deepEqual(certificatesOfFile(Buffer.from(base64Of(exampleCa))).certificates, [both[1]]);
});

test('RFC 9440 needs its colons', () => {
  const item = `:${base64Of(exampleCa)}:`;
  assert.deepEqual(certificatesOfByteSequences(`${item}, ${item}`), [der(exampleCa), der(exampleCa)]);
  assert.throws(() => certificatesOfByteSequences(base64Of(exampleCa)), RangeError);
});

test('Envoy values may hold separators when quoted', () => {
  const header = 'By=a;By=b;Hash=1;Subject="O=\\"x;y\\",CN=z";URI=;DNS=p;DNS=q,Hash=2';
  assert.deepEqual(parseXfcc(header), [
    {
      by: ['a', 'b'],
      hash: '1',
      cert: undefined,
      chain: undefined,
      subject: 'O="x;y",CN=z',
      uri: [''],
      dns: ['p', 'q'],
    },
    { by: [], hash: '2', cert: undefined, chain: undefined, subject: undefined, uri: [], dns: [] },
  ]);
  assert.throws(() => parseXfcc('nothing'), RangeError);
});

test('no damaged certificate does more than throw', () => {
  const whole = der(exampleClient);
  for (let length = 0; length < whole.length; length += 7) {
    assert.throws(() => viewCertificate(whole.subarray(0, length), nowMs));
  }
  for (let at = 0; at < whole.length; at++) {
    const damaged = Buffer.from(whole);
    damaged[at] = damaged[at]! ^ 0x80;
    try {
      viewCertificate(damaged, nowMs);
    } catch (error) {
      assert.ok(error instanceof Error);
    }
    try {
      certificatesOfFile(damaged);
    } catch (error) {
      assert.ok(error instanceof Error);
    }
  }
});
