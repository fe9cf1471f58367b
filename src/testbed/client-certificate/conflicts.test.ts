import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HeaderList } from '../../http1/header-list.ts';
import { viewCertificate } from './certificate.ts';
import { conflictsOf } from './conflicts.ts';
import { comparableName } from './distinguished-name.ts';
import { base64Of, exampleCa, exampleClient } from './example-certificates.ts';
import type { CertificateSource } from './sources.ts';
import { parseXfcc } from './xfcc.ts';

const nowMs = Date.UTC(2026, 0, 1);
const view = (pem: string) => viewCertificate(Buffer.from(base64Of(pem), 'base64'), nowMs);
const tls = (pem: string): CertificateSource => ({
  source: 'tls',
  format: 'tls',
  certificate: view(pem),
  chain: [],
});
const xfcc = (value: string): CertificateSource => ({
  source: 'header:x-forwarded-client-cert',
  format: 'xfcc',
  certificate: undefined,
  chain: [],
  elements: parseXfcc(value),
});
const headers = (...pairs: string[]) => new HeaderList(pairs);
const { sha256 } = view(exampleClient).fingerprints;

describe('names that are the same', () => {
  const alike: [string, string][] = [
    ['CN=client,O=Example\\, Inc,C=TR', '/C=TR/O=Example, Inc/CN=client'],
    ['CN=client,O=Example\\, Inc,C=TR', 'C=TR, O="Example, Inc", CN=client'],
    ['CN=client,O=Example\\, Inc,C=TR', 'cn=Client,o=example\\2c  Inc,c=tr'],
    ['CN=Ayşe', 'CN=Ay\\C5\\9Fe'],
    ['emailAddress=a@b.example,CN=x', 'CN=x,E=a@b.example'],
    ['CN=a/b', 'CN=a/b'],
  ];
  for (const [one, other] of alike)
    test(`${one} and ${other}`, () => assert.equal(comparableName(one), comparableName(other)));
});

describe('names that differ', () => {
  const different: [string, string][] = [
    ['CN=client', 'CN=clients'],
    ['CN=a,O=b', 'CN=b,O=a'],
    ['CN=a,O=b', 'CN=a'],
    ['CN=a\\,O=b', 'CN=a,O=b'],
  ];
  for (const [one, other] of different)
    test(`${one} and ${other}`, () => assert.notEqual(comparableName(one), comparableName(other)));
});

describe('what contradicts what', () => {
  const cases: [string, CertificateSource[], HeaderList, string[]][] = [
    ['one certificate', [tls(exampleClient)], headers(), []],
    [
      'what proxies say of the certificate that is there',
      [tls(exampleClient), xfcc(`Hash=${sha256};Subject="CN=client,O=Example\\\\, Inc,C=TR"`)],
      headers('x-ssl-client-s-dn', '/C=TR/O=Example, Inc/CN=client', 'x-ssl-client-serial', '12:34:ab:ce'),
      [],
    ],
    ['empty fields', [tls(exampleClient)], headers('ssl_client_s_dn', '(null)', 'x-ssl-client-i-dn', ''), []],
    [
      'two certificates',
      [tls(exampleClient), { ...tls(exampleCa), source: 'header:client-cert' }],
      headers(),
      // The issuer is the same: the authority signed itself as well.
      ['sha256', 'serialNumber', 'subject'],
    ],
    ['a hash', [tls(exampleClient), xfcc(`Hash=${'a'.repeat(64)}`)], headers(), ['sha256']],
    ['a subject', [tls(exampleClient), xfcc('Subject="CN=root"')], headers(), ['subject']],
    ['a serial', [tls(exampleClient)], headers('x-ssl-client-serial', '1234ABCF'), ['serialNumber']],
    ['an issuer', [tls(exampleClient)], headers('ssl-client-issuer-dn', 'CN=other'), ['issuer']],
    [
      'two fields alone',
      [],
      headers('x-ssl-client-s-dn', 'CN=a', 'ssl-client-subject-dn', 'CN=b'),
      ['subject'],
    ],
  ];
  for (const [name, sources, fields, expected] of cases) {
    test(name, () => {
      const found = conflictsOf(sources, fields).map(({ member }) => member);
      assert.deepEqual(found, expected);
    });
  }
});
