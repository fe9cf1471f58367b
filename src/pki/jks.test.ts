import assert from 'node:assert/strict';
import { createPrivateKey } from 'node:crypto';
import { test } from 'node:test';
import { Fault } from '../kernel/faults.ts';
import { readJks, writeJks } from './jks.ts';
import { type KeyEntry, type KeyStore, keyStoreLimits } from './key-store.ts';
import { damaged } from './testing/damage.ts';
import {
  fixtureAuthority,
  fixtureCertificate,
  fixtureKey,
  javaJks,
  javaTrustJks,
} from './testing/key-store-fixtures.ts';
import { testWith } from './testing/tools.ts';

const password = 'changeit';
const privateKey = createPrivateKey({ key: fixtureKey, format: 'der', type: 'pkcs8' });
const server: KeyEntry = { alias: 'server', privateKey, chain: [fixtureCertificate, fixtureAuthority] };
const trusted = { alias: 'fixture-ca', certificate: fixtureAuthority };

function assertSame(read: KeyStore, written: KeyStore): void {
  assert.deepEqual(read.trusted, written.trusted);
  assert.deepEqual(
    read.keys.map((entry) => [entry.alias, entry.privateKey.equals(privateKey), entry.chain]),
    written.keys.map((entry) => [entry.alias, true, entry.chain]),
  );
}

const faultOf = (key: string) => (error: unknown) => error instanceof Fault && error.key === key;

test('what is written is read again', async () => {
  const stores: KeyStore[] = [
    { keys: [server], trusted: [trusted] },
    { keys: [], trusted: [] },
  ];
  for (const store of stores) {
    for (const secret of [password, '', 'çok gizli €']) {
      const bytes = writeJks(store, secret);
      assertSame(await readJks(bytes, secret), store);
      await assert.rejects(readJks(bytes, `${secret}x`), faultOf('key-store.wrong-password'));
    }
  }
});

test('aliases are written as Java looks for them, in lower case', async () => {
  const bytes = writeJks({ keys: [], trusted: [{ ...trusted, alias: 'Fixture-CA' }] }, password);
  assert.equal((await readJks(bytes, password)).trusted[0]?.alias, 'fixture-ca');
});

test('stores that keytool wrote are read', async () => {
  assertSame(await readJks(javaJks, password), { keys: [server], trusted: [] });
  assertSame(await readJks(javaTrustJks, password), { keys: [], trusted: [trusted] });
  await assert.rejects(readJks(javaJks, 'other'), faultOf('key-store.wrong-password'));
  await assert.rejects(readJks(javaJks, password, 'other'), faultOf('key-store.wrong-password'));
});

test('what cannot be read says why', async () => {
  const file = (hex: string) => Buffer.concat([Buffer.from(hex, 'hex'), Buffer.alloc(20)]);
  const jceks = /JCEKS format, which is not supported/;
  await assert.rejects(readJks(file('feedfeed00'), password), faultOf('key-store.malformed'));
  await assert.rejects(readJks(file('cececece0000000200000000'), password), jceks);
  await assert.rejects(readJks(Buffer.alloc(100), password), /does not begin like a Java key store/);
  await assert.rejects(readJks(file('feedfeed00000002ffffffff'), password), faultOf('key-store.too-large'));
  const tooLong = Buffer.alloc(keyStoreLimits.maxBytes + 1);
  await assert.rejects(readJks(tooLong, password), faultOf('key-store.too-large'));
});

test('damaged files end in a fault and nothing else', async () => {
  for (const bytes of [javaJks, javaTrustJks]) {
    for (const broken of damaged(bytes)) {
      await assert.rejects(readJks(broken, password), Fault);
    }
  }
});

testWith('keytool', 'lists keys and trusted certificates, and takes the key out', (run, put) => {
  const file = put('store.jks', writeJks({ keys: [server], trusted: [trusted] }, password));
  const text = run('-list', '-v', '-keystore', file, '-storepass', password);
  assert.match(text, /Keystore type: JKS/);
  assert.match(text, /Alias name: server[\s\S]*?Entry type: PrivateKeyEntry\s+Certificate chain length: 2/);
  assert.match(text, /Alias name: fixture-ca[\s\S]*?Entry type: trustedCertEntry/);
  const copy = put('copy.p12');
  const destination = ['-destkeystore', copy, '-deststoretype', 'PKCS12', '-deststorepass', password];
  run('-importkeystore', '-srckeystore', file, '-srcstorepass', password, ...destination);
  assert.match(run('-list', '-keystore', copy, '-storepass', password), /contains 2 entries/);
});
