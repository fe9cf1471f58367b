import assert from 'node:assert/strict';
import { createHmac, pbkdf2Sync } from 'node:crypto';
import { test } from 'node:test';
import { createSecureContext } from 'node:tls';
import { Fault } from '../kernel/faults.ts';
import { issueCertificate, selfSigned } from './certificate.ts';
import { DerFields, derTags } from './der-reader.ts';
import { element, integer, nothing, octetString, oid, sequence, tagged } from './der-writer.ts';
import { type KeyEntry, type KeyStore, keyStoreLimits, type TrustedEntry } from './key-store.ts';
import { generateKeySync, type KeyKind, keyKinds } from './keys.ts';
import { oids } from './object-identifiers.ts';
import { octetsOf } from './pkcs12-bags.ts';
import { readPkcs12 } from './pkcs12-reader.ts';
import { writePkcs12 } from './pkcs12-writer.ts';
import { damaged } from './testing/damage.ts';
import {
  emptyPasswordPkcs12,
  fixtureAuthority,
  fixtureCertificate,
  fixtureKey,
  javaPkcs12,
  javaTrustPkcs12,
  legacyPkcs12,
  oddPkcs12,
  opensslPkcs12,
  plainPkcs12,
  rc4Pkcs12,
} from './testing/key-store-fixtures.ts';
import { testWith } from './testing/tools.ts';

const password = 'changeit';
const validity = { notBefore: new Date(), notAfter: new Date(Date.now() + 86_400_000) };
const authorityKeys = generateKeySync('p-256');
const authority = selfSigned(
  { subject: [['CN', 'Authority']], ...validity, extensions: { basicConstraints: { ca: true } } },
  authorityKeys,
);
const trusted: TrustedEntry = { alias: 'authority', certificate: authority };

function keyEntry(alias: string, kind: KeyKind = 'p-256'): KeyEntry {
  const { privateKey, publicKey } = generateKeySync(kind);
  const issuer = { certificate: authority, privateKey: authorityKeys.privateKey };
  const leaf = issueCertificate({ subject: [['CN', alias]], publicKey, ...validity }, issuer);
  return { alias, privateKey, chain: [leaf, authority] };
}

const pkcs8Of = ({ privateKey }: KeyEntry) => privateKey.export({ type: 'pkcs8', format: 'der' });

function assertSame(read: KeyStore, written: KeyStore): void {
  assert.deepEqual(read.trusted, written.trusted);
  assert.deepEqual(
    read.keys.map((entry) => [entry.alias, pkcs8Of(entry), entry.chain]),
    written.keys.map((entry) => [entry.alias, pkcs8Of(entry), entry.chain]),
  );
}

const faultOf = (key: string) => (error: unknown) => error instanceof Fault && error.key === key;

test('what is written is read again: keys of every kind, chains, trusted certificates, any password', async () => {
  const kinds = (Object.keys(keyKinds) as KeyKind[]).filter((kind) => !/rsa-[34]|rsa-512/.test(kind));
  const stores: KeyStore[] = [
    { keys: kinds.map((kind) => keyEntry(`key ${kind}`, kind)), trusted: [] },
    { keys: [], trusted: [trusted] },
    { keys: [keyEntry('anahtar ğüşı'), keyEntry('second')], trusted: [trusted] },
    { keys: [], trusted: [] },
  ];
  for (const store of stores) {
    for (const secret of [password, '', 'çok gizli €']) {
      const bytes = await writePkcs12(store, secret);
      assertSame(await readPkcs12(bytes, secret), store);
      await assert.rejects(readPkcs12(bytes, `${secret}x`), faultOf('key-store.wrong-password'));
    }
  }
});

test('the TLS library of Node opens what is written', async () => {
  const pfx = await writePkcs12({ keys: [keyEntry('server', 'rsa-2048')], trusted: [] }, password);
  assert.ok(createSecureContext({ pfx, passphrase: password }));
  assert.throws(() => createSecureContext({ pfx, passphrase: 'other' }), /mac verify failure/);
});

const fixtures: ReadonlyArray<readonly [string, Buffer, alias: string, chain: Buffer[]]> = [
  ['OpenSSL 3', opensslPkcs12, 'server', [fixtureCertificate, fixtureAuthority]],
  ['OpenSSL 1 (RC2-40, 3DES)', legacyPkcs12, 'server', [fixtureCertificate, fixtureAuthority]],
  ['RC2-128 and two-key 3DES', oddPkcs12, '1', [fixtureCertificate]],
  ['nobody: no encryption, no seal', plainPkcs12, '1', [fixtureCertificate]],
  ['Java 17', javaPkcs12, 'server', [fixtureCertificate, fixtureAuthority]],
];

for (const [tool, bytes, alias, chain] of fixtures) {
  test(`a key store of ${tool} is read`, async () => {
    const store = await readPkcs12(bytes, password);
    assert.deepEqual(store.trusted, []);
    assert.deepEqual(
      store.keys.map((entry) => [entry.alias, pkcs8Of(entry), entry.chain]),
      [[alias, fixtureKey, chain]],
    );
    if (bytes === plainPkcs12) return;
    await assert.rejects(readPkcs12(bytes, 'other'), faultOf('key-store.wrong-password'));
  });
}

test('trust stores are read, whether they mark their certificates or not', async () => {
  const marked = await readPkcs12(javaTrustPkcs12, password);
  assert.deepEqual(marked, { keys: [], trusted: [{ alias: 'fixture-ca', certificate: fixtureAuthority }] });
  const bare = await readPkcs12(emptyPasswordPkcs12, '');
  assert.deepEqual(bare, { keys: [], trusted: [{ alias: '1', certificate: fixtureAuthority }] });
});

test('a seal by PBMAC1 is read as the TLS library of Node reads it', async () => {
  const fields = new DerFields(await writePkcs12({ keys: [keyEntry('server')], trusted: [] }, password));
  const [version, contentInfo] = [fields.take(derTags.integer).whole, fields.take(derTags.sequence).whole];
  const inner = new DerFields(contentInfo);
  inner.takeOid();
  const content = octetsOf(inner.take(0xa0).content);
  const hmac = sequence(oid(oids.hmacSha256), nothing());
  const salt = Buffer.from('salt of 16 bytes');
  const derivation = sequence(
    oid(oids.pbkdf2),
    sequence(octetString(salt), integer(2048), integer(32), hmac),
  );
  const algorithm = sequence(oid(oids.pbmac1), sequence(derivation, hmac));
  const mac = createHmac('sha256', pbkdf2Sync(password, salt, 2048, 32, 'sha256'))
    .update(content)
    .digest();
  const macData = sequence(sequence(algorithm, octetString(mac)), octetString(salt), integer(1));
  const pfx = sequence(version, contentInfo, macData);

  assert.ok(createSecureContext({ pfx, passphrase: password }));
  assert.equal((await readPkcs12(pfx, password)).keys.length, 1);
  await assert.rejects(readPkcs12(pfx, 'other'), faultOf('key-store.wrong-password'));
});

test('a file in BER, with open lengths and strings in pieces, is read', async () => {
  const fields = new DerFields(opensslPkcs12);
  const [version, contentInfo] = [
    fields.take(derTags.integer).whole,
    new DerFields(fields.take(derTags.sequence).whole),
  ];
  const type = oid(contentInfo.takeOid());
  const content = octetsOf(contentInfo.take(0xa0).content);
  const open = (tag: number, ...parts: Buffer[]) =>
    Buffer.concat([Buffer.of(tag, 0x80), ...parts, Buffer.of(0, 0)]);
  const pieces = open(0x24, octetString(content.subarray(0, 100)), octetString(content.subarray(100)));
  const ber = open(0x30, version, open(0x30, type, open(0xa0, pieces)), fields.take(derTags.sequence).whole);
  assert.equal((await readPkcs12(ber, password)).keys.length, 1);
});

test('what cannot be read says why', async () => {
  const rc4 = /uses the encryption 1\.2\.840\.113549\.1\.12\.1\.1, which is not supported/;
  await assert.rejects(readPkcs12(rc4Pkcs12, password), rc4);
  await assert.rejects(readPkcs12(Buffer.from('not a key store'), password), faultOf('key-store.malformed'));
  await assert.rejects(readPkcs12(Buffer.alloc(0), password), faultOf('key-store.malformed'));
  const tooLong = Buffer.alloc(keyStoreLimits.maxBytes + 1);
  await assert.rejects(readPkcs12(tooLong, password), faultOf('key-store.too-large'));
  const signedSeal = sequence(integer(3), sequence(oid(oids.signedData), tagged(0, nothing())));
  await assert.rejects(readPkcs12(signedSeal, password), /a signature as its seal/);
});

test('a file cannot ask for endless work or depth', async () => {
  const mac = (rounds: number) =>
    sequence(
      sequence(sequence(oid(oids.sha256)), octetString(Buffer.alloc(32))),
      octetString(Buffer.alloc(8)),
      integer(rounds),
    );
  const file = (rounds: number) =>
    sequence(integer(3), sequence(oid(oids.data), tagged(0, octetString(sequence()))), mac(rounds));
  await assert.rejects(readPkcs12(file(1000), password), faultOf('key-store.wrong-password'));
  for (const rounds of [keyStoreLimits.maxRounds + 1, 2 ** 31, 2 ** 46])
    await assert.rejects(readPkcs12(file(rounds), password), faultOf('key-store.too-large'), `${rounds}`);
  await assert.rejects(readPkcs12(file(0), password), faultOf('key-store.malformed'));

  let deep = sequence();
  for (let depth = 0; depth < 10_000; depth++) deep = element(derTags.sequence, deep.subarray(0, 60_000));
  await assert.rejects(readPkcs12(deep, password), faultOf('key-store.malformed'));
  const wide = element(derTags.sequence, Buffer.alloc(4_000_000, Buffer.of(5, 0)));
  await assert.rejects(readPkcs12(wide, password), /too many elements/);
  const open = Buffer.alloc(1_000_000, Buffer.of(0x30, 0x80));
  await assert.rejects(readPkcs12(open, password), faultOf('key-store.malformed'));
});

test('damaged files end in a fault and nothing else', async () => {
  for (const bytes of [plainPkcs12, legacyPkcs12, javaTrustPkcs12]) {
    for (const broken of damaged(bytes, bytes === plainPkcs12 ? 1 : 23)) {
      await readPkcs12(broken, password).catch((error) => assert.ok(error instanceof Fault, String(error)));
    }
  }
});

testWith('openssl', 'opens key and trust stores', async (run, put) => {
  const store = { keys: [keyEntry('server', 'rsa-2048')], trusted: [trusted] };
  const file = put('store.p12', await writePkcs12(store, password));
  const text = run('pkcs12', '-info', '-nodes', '-in', file, '-passin', `pass:${password}`);
  assert.match(text, /MAC: sha256, Iteration 10000/);
  assert.match(text, /PBES2, PBKDF2, AES-256-CBC, Iteration 10000, PRF hmacWithSHA256/);
  assert.match(text, /friendlyName: server/);
  assert.match(text, /BEGIN PRIVATE KEY/);
  assert.throws(() => run('pkcs12', '-in', file, '-passin', 'pass:other'), /invalid password/);
});

testWith('keytool', 'lists keys with their chains, and trusted certificates', async (run, put) => {
  const store = { keys: [keyEntry('server', 'rsa-2048'), keyEntry('client')], trusted: [trusted] };
  const file = put('store.p12', await writePkcs12(store, password));
  const text = run('-list', '-v', '-storetype', 'PKCS12', '-keystore', file, '-storepass', password);
  assert.match(text, /contains 3 entries/);
  assert.match(text, /Alias name: server[\s\S]*?Entry type: PrivateKeyEntry\s+Certificate chain length: 2/);
  assert.match(text, /Alias name: client[\s\S]*?Entry type: PrivateKeyEntry/);
  assert.match(text, /Alias name: authority[\s\S]*?Entry type: trustedCertEntry/);
  const trust = put('trust.p12', await writePkcs12({ keys: [], trusted: [trusted] }, password));
  assert.match(
    run('-list', '-keystore', trust, '-storepass', password),
    /contains 1 entry[\s\S]*trustedCertEntry/,
  );
  // keytool takes the key out only when it can decrypt it.
  const copy = put('copy.jks');
  const destination = ['-destkeystore', copy, '-deststoretype', 'JKS', '-deststorepass', password];
  run('-importkeystore', '-srckeystore', file, '-srcstorepass', password, ...destination);
  assert.match(run('-list', '-keystore', copy, '-storepass', password), /contains 3 entries/);
});
