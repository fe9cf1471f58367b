import assert from 'node:assert/strict';
import { createPrivateKey } from 'node:crypto';
import { test } from 'node:test';
import { Fault } from '../kernel/faults.ts';
import { integer, octetString, oid, sequence } from './der-writer.ts';
import { keyStoreLimits } from './key-store.ts';
import { oids } from './object-identifiers.ts';
import {
  bundlePem,
  certificatePem,
  pemOf,
  privateKeyPem,
  readPem,
  readPemCertificates,
  readPemPrivateKey,
} from './pem.ts';
import { damaged } from './testing/damage.ts';
import {
  encryptedPkcs8Pem,
  encryptedSec1Pem,
  fixtureAuthority,
  fixtureCertificate,
  fixtureKey,
} from './testing/key-store-fixtures.ts';

const password = 'changeit';
const key = createPrivateKey({ key: fixtureKey, format: 'der', type: 'pkcs8' });
const faultOf = (name: string) => (error: unknown) => error instanceof Fault && error.key === name;

test('a bundle is its certificates, whatever stands between them', () => {
  const bundle = bundlePem([fixtureCertificate, fixtureAuthority]);
  assert.deepEqual(readPemCertificates(bundle), [fixtureCertificate, fixtureAuthority]);
  const commented = `subject=/CN=fixture\r\n${bundle.replaceAll('\n', '\r\n')}${privateKeyPem(key)}`;
  assert.deepEqual(readPemCertificates(commented), [fixtureCertificate, fixtureAuthority]);
  assert.deepEqual(
    readPem(commented).map(({ label }) => label),
    ['CERTIFICATE', 'CERTIFICATE', 'PRIVATE KEY'],
  );
  assert.deepEqual(readPemCertificates('nothing'), []);
});

test('private keys are read in every form', async () => {
  const forms = [
    privateKeyPem(key),
    `${certificatePem(fixtureCertificate)}${key.export({ type: 'sec1', format: 'pem' })}`,
    encryptedPkcs8Pem,
    encryptedSec1Pem,
  ];
  for (const form of forms) assert.ok((await readPemPrivateKey(form, password)).equals(key));
});

test('a missing or wrong password is told from a broken key', async () => {
  for (const form of [encryptedPkcs8Pem, encryptedSec1Pem]) {
    await assert.rejects(readPemPrivateKey(form), faultOf('key-store.wrong-password'));
    await assert.rejects(readPemPrivateKey(form, 'other'), faultOf('key-store.wrong-password'));
    await assert.rejects(readPemPrivateKey(form, ''), faultOf('key-store.wrong-password'));
  }
  await assert.rejects(readPemPrivateKey(certificatePem(fixtureCertificate)), faultOf('key-store.malformed'));
});

test('an encrypted key cannot ask for endless work', async () => {
  const derivation = sequence(oid(oids.pbkdf2), sequence(octetString(Buffer.alloc(8)), integer(2 ** 31)));
  const cipher = sequence(oid(oids.aes256Cbc), octetString(Buffer.alloc(16)));
  const algorithm = sequence(oid(oids.pbes2), sequence(derivation, cipher));
  const pem = pemOf('ENCRYPTED PRIVATE KEY', sequence(algorithm, octetString(Buffer.alloc(16))));
  await assert.rejects(readPemPrivateKey(pem, password), faultOf('key-store.too-large'));
});

test('what is no PEM is refused', () => {
  const texts = [
    '-----BEGIN CERTIFICATE-----\nAAAA',
    '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----',
    '-----BEGIN CERTIFICATE-----\n*\n-----END CERTIFICATE-----',
    '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----',
    '-----BEGIN -----\nAAAA\n-----END -----',
    `-----BEGIN ${'X'.repeat(100)}-----\nAAAA\n-----END ${'X'.repeat(100)}-----`,
  ];
  for (const text of texts)
    assert.throws(() => readPemCertificates(text), faultOf('key-store.malformed'), text);
  const long = 'x'.repeat(keyStoreLimits.maxBytes + 1);
  assert.throws(() => readPem(long), faultOf('key-store.too-large'));
  const many = '-----BEGIN A-----\nAAAA\n-----END A-----\n'.repeat(keyStoreLimits.maxEntries + 1);
  assert.throws(() => readPem(many), faultOf('key-store.too-large'));
});

test('damaged texts end in a fault and nothing else, and soon', async () => {
  const whole = Buffer.from(bundlePem([fixtureCertificate]) + encryptedPkcs8Pem);
  const bare = Buffer.from(privateKeyPem(key));
  for (const broken of [...damaged(whole, 3), ...damaged(bare)]) {
    const text = broken.toString('latin1');
    try {
      readPemCertificates(text);
      await readPemPrivateKey(text, password);
    } catch (error) {
      assert.ok(error instanceof Fault, String(error));
    }
  }
  const begins = '-----BEGIN A-----'.repeat(100_000);
  assert.throws(() => readPem(begins), Fault);
});
