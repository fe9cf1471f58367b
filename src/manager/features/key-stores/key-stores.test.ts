import assert from 'node:assert/strict';
import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { localhostIdentity } from '../../../kernel/testing/tls-identities.ts';
import { selfSigned } from '../../../pki/certificate.ts';
import { writeJks } from '../../../pki/jks.ts';
import { generateKeySync } from '../../../pki/keys.ts';
import { certificatePem, privateKeyPem } from '../../../pki/pem.ts';
import {
  encryptedPkcs8Pem,
  fixtureAuthority,
  fixtureCertificate,
  fixtureKey,
  javaJks,
  javaPkcs12,
  javaTrustJks,
  javaTrustPkcs12,
  opensslPkcs12,
} from '../../../pki/testing/key-store-fixtures.ts';
import { startManager } from '../../testing/start-manager.ts';

const manager = await startManager();
after(() => manager.close());
const { request } = manager;
const sealedKeys = generateKeySync('p-256');
const KEYS = '/apiops/projects/Default/keystores/';
const TRUST = '/apiops/projects/Default/truststores/';
const base64 = (content: Buffer | string) => Buffer.from(content).toString('base64');
const key = createPrivateKey({ key: fixtureKey, format: 'der', type: 'pkcs8' });
const pem = `${certificatePem(fixtureAuthority)}${certificatePem(fixtureCertificate)}${privateKeyPem(key)}`;

const accepted: Array<
  [name: string, path: string, type: string, content: Buffer | string, password: string]
> = [
  ['openssl-p12', KEYS, 'PKCS12', opensslPkcs12, 'changeit'],
  ['java-p12', KEYS, 'PKCS12', javaPkcs12, 'changeit'],
  ['java-jks', KEYS, 'JKS', javaJks, 'changeit'],
  ['pem', KEYS, 'PEM', pem, ''],
  ['encrypted-pem', KEYS, 'PEM', encryptedPkcs8Pem + certificatePem(fixtureCertificate), 'changeit'],
  ['trust-p12', TRUST, 'PKCS12', javaTrustPkcs12, 'changeit'],
  ['trust-jks', TRUST, 'JKS', javaTrustJks, 'changeit'],
  ['trust-pem', TRUST, 'PEM', certificatePem(fixtureAuthority), ''],
  ['global', '/apiops/keystores/', 'JKS', javaJks, 'changeit'],
  ['global-trust', '/apiops/truststores/', 'JKS', javaTrustJks, 'changeit'],
];
for (const [name, path, type, content, password] of accepted) {
  test(`${type} at ${path} is taken in and told about: ${name}`, async () => {
    const body = { name, type, content: base64(content), password };
    const created = await request('POST', path, { body });
    assert.equal(created.status, 200, created.text);
    const { json } = await request('GET', `${path}${name}/`);
    const [store] = json.resultList;
    assert.equal(store.type, type);
    assert.equal(store.expired, false);
    assert.match(store.expireDate, /^2126-/);
    const [entry] = store.aliasList;
    assert.equal(entry.hasPrivateKey, !path.includes('trust'));
    assert.equal(entry.issuer, 'CN=Fixture CA');
    assert.equal(entry.keyAlgorithm, 'ec');
  });
}

test('neither the file nor its password ever comes back, nor lies readable in the database', async () => {
  const secret = 'a password nobody sees again';
  const authority = selfSigned(
    {
      subject: [['CN', 'Sealed']],
      notBefore: new Date('2020-01-01'),
      notAfter: new Date('2021-01-01'),
    },
    sealedKeys,
  );
  const content = writeJks(
    { keys: [{ alias: 'sealed', privateKey: sealedKeys.privateKey, chain: [authority] }], trusted: [] },
    secret,
  );
  const body = { name: 'sealed', type: 'JKS', content: base64(content), password: secret };
  const answers = [
    await request('POST', KEYS, { body }),
    await request('GET', KEYS),
    await request('GET', `${KEYS}sealed/`),
    await request('PUT', `${KEYS}sealed/`, { body }),
    await request('GET', '/apiops/journals/audit/'),
  ];
  for (const { status, text } of answers) {
    assert.equal(status, 200);
    assert.ok(!text.includes(secret));
    assert.ok(!text.includes(body.content.slice(0, 40)));
    assert.doesNotMatch(text, /sealedContent|sealedPassword/);
  }
  const [file, wal] = ['platform.db', 'platform.db-wal'].map((one) =>
    readFileSync(join(manager.dataFolder, one)).toString('latin1'),
  );
  assert.ok(!`${file}${wal}`.includes(secret));
  assert.ok(!`${file}${wal}`.includes(body.content.slice(0, 40)));
  const project = await manager.services.projects.require('Default');
  const stored = await manager.services.keyStores.require(project.id, 'sealed');
  const opened = manager.services.keyStores.unsealed(stored);
  assert.deepEqual([opened.content, opened.password], [content, secret]);
});

test('an expired certificate is taken in and reported', async () => {
  const { json } = await request('GET', `${KEYS}sealed/`);
  assert.equal(json.resultList[0].expired, true);
  assert.equal(json.resultList[0].expireDate, '2021-01-01T00:00:00.000Z');
});

test('a change without content keeps the file', async () => {
  const changed = await request('PUT', `${KEYS}pem/`, { body: { description: 'ours' } });
  assert.equal(changed.json.resultList[0].description, 'ours');
  assert.equal(changed.json.resultList[0].type, 'PEM');
  assert.equal(changed.json.resultList[0].aliasList[0].subject, 'CN=fixture');
});

const other = generateKeySync('p-256');
const refusals: Array<[name: string, path: string, body: object, status: number, message: RegExp]> = [
  [
    'a wrong password',
    KEYS,
    { content: base64(opensslPkcs12), password: 'no' },
    400,
    /cannot be opened with this password/,
  ],
  ['a JKS file called PKCS12', KEYS, { content: base64(javaJks), password: 'changeit' }, 400, /is malformed/],
  [
    'half a file',
    KEYS,
    { content: base64(opensslPkcs12.subarray(0, 700)), password: 'changeit' },
    400,
    /malformed/,
  ],
  ['what is no Base64', KEYS, { content: '!!' }, 400, /at \/content must match/],
  ['no content', KEYS, {}, 400, /must have required property 'content'/],
  [
    'a trust store as key store',
    KEYS,
    { content: base64(javaTrustPkcs12), password: 'changeit' },
    400,
    /holds no private key/,
  ],
  [
    'a key store as trust store',
    TRUST,
    { content: base64(opensslPkcs12), password: 'changeit' },
    400,
    /holds a private key/,
  ],
  [
    'PEM without certificate',
    TRUST,
    { type: 'PEM', content: base64('nothing') },
    400,
    /holds no certificate|malformed/,
  ],
  [
    'PEM with another key',
    KEYS,
    { type: 'PEM', content: base64(certificatePem(fixtureCertificate) + privateKeyPem(other.privateKey)) },
    400,
    /belongs to another key/,
  ],
  [
    'PEM with a certificate that leads nowhere',
    KEYS,
    {
      type: 'PEM',
      content: base64(
        privateKeyPem(key) + certificatePem(fixtureCertificate) + certificatePem(fixtureCertificate),
      ),
    },
    400,
    /was not issued by the next/,
  ],
  [
    'a taken name',
    KEYS,
    { name: 'pem', content: base64(opensslPkcs12), password: 'changeit' },
    400,
    /^KeyStore \(name: pem\) is already exist!$/,
  ],
  [
    'another project',
    '/apiops/projects/none/keystores/',
    { content: base64(opensslPkcs12), password: 'changeit' },
    400,
    /^Project \(none\) is not found!$/,
  ],
  ['more than 5 MiB', KEYS, { content: 'A'.repeat(5 * 1024 * 1024) }, 413, /at most 5242880 bytes/],
];
for (const [name, path, body, status, message] of refusals) {
  test(`${name} is refused, and nothing is written`, async () => {
    const answer = await request('POST', path, { body: { name: 'refused', ...body } });
    assert.equal(answer.status, status, answer.text);
    assert.equal(answer.json.status, 'FAILURE');
    assert.match(answer.json.resultMessage, message);
    for (const base of [KEYS, TRUST]) assert.equal((await request('GET', `${base}refused/`)).status, 400);
  });
}

test('what belongs to one project is not found in another, nor among what all may use', async () => {
  await request('POST', '/apiops/projects/', { body: { name: 'Second' } });
  for (const path of ['/apiops/projects/Second/keystores/pem/', '/apiops/keystores/pem/']) {
    const { status, json } = await request('GET', path);
    assert.equal(status, 400);
    assert.equal(json.resultMessage, 'KeyStore (name: pem) was not found!');
  }
});

test('nothing of all this was an unexpected error', () => {
  assert.deepEqual(manager.errors, []);
});

test('a store that connections use is deleted only by force, and who uses it is named', async () => {
  const store = { type: 'PEM', content: base64(Buffer.from(localhostIdentity.cert)), password: '' };
  const [own, global] = ['/apiops/projects/Default/truststores/', '/apiops/truststores/'];
  for (const path of [own, global]) {
    const made = await request('POST', path, { body: { ...store, name: 'shared' } });
    assert.equal(made.status, 200, made.text);
  }
  const connection = {
    type: 'webhook',
    environmentName: 'Development',
    httpMethod: 'POST',
    fullUrl: 'https://crm.example/',
    trustStoreName: 'shared',
  };
  await request('POST', '/apiops/projects/Default/connections/crm/', { body: connection });
  const remove = (path: string) => request('DELETE', path);
  // The project has its own of that name, so that nothing needs the global one.
  assert.equal((await remove(`${global}shared/`)).status, 200);
  const refused = await remove(`${own}shared/`);
  assert.equal(refused.status, 400);
  assert.equal(
    refused.json.resultMessage,
    'TrustStore (name: shared) can not be deleted because it is used by Connection (name: crm)!',
  );
  await request('POST', '/apiops/connections/everybody/', { body: { ...connection, trustStoreName: null } });
  assert.equal((await remove(`${own}shared/?force=true`)).status, 200);
  await request('POST', global, { body: { ...store, name: 'shared' } });
  assert.match((await remove(`${global}shared/`)).json.resultMessage, /used by Connection \(name: crm\)!$/);
  assert.equal((await remove('/apiops/projects/Default/connections/crm/')).status, 200);
  assert.equal((await remove(`${global}shared/`)).status, 200);
});
