import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MadeKey, makeKeys } from './key-factory.ts';
import { type KeyKind, keyKinds, keyPairOf } from './keys.ts';

const details: Record<KeyKind, object> = {
  'rsa-512': { modulusLength: 512 },
  'rsa-1024': { modulusLength: 1024 },
  'rsa-2048': { modulusLength: 2048 },
  'rsa-3072': { modulusLength: 3072 },
  'rsa-4096': { modulusLength: 4096 },
  'p-256': { namedCurve: 'prime256v1' },
  'p-384': { namedCurve: 'secp384r1' },
  'p-521': { namedCurve: 'secp521r1' },
  ed25519: {},
  ed448: {},
  dsa: { modulusLength: 2048, divisorLength: 256 },
  'ml-dsa-65': {},
};

test('keys of every kind are made in threads, and each is told of as it is ready', async () => {
  const kinds = Object.keys(keyKinds) as KeyKind[];
  const heard: MadeKey[] = [];
  const made = await makeKeys(
    kinds.map((kind) => [`key of ${kind}`, kind]),
    { onKey: (key) => heard.push(key) },
  );
  assert.equal(made.size, kinds.length);
  for (const kind of kinds) {
    const { privateKey, publicKey } = made.get(`key of ${kind}`)!;
    assert.equal(privateKey.asymmetricKeyType, keyKinds[kind].type);
    assert.partialDeepStrictEqual(privateKey.asymmetricKeyDetails ?? {}, details[kind]);
    assert.ok(publicKey.equals(keyPairOf(privateKey).publicKey), kind);
  }
  assert.deepEqual(
    heard.map(({ done }) => done),
    kinds.map((_, index) => index + 1),
  );
  assert.ok(heard.every(({ name, keys, total }) => made.get(name) === keys && total === kinds.length));
});

test('the main thread is free while a slow key is being made', async () => {
  let ticks = 0;
  const ticking = setInterval(() => ticks++, 1);
  await makeKeys([['slow', 'rsa-3072']], { threads: 1 });
  clearInterval(ticking);
  // A thread that makes the key itself does not tick at all.
  assert.ok(ticks > 3, `${ticks} ticks`);
});

test('the work ends at once when it is no longer wanted', async () => {
  const leaving = new AbortController();
  const wanted = Array.from({ length: 50 }, (_, index) => [`${index}`, 'rsa-2048'] as const);
  const work = makeKeys(wanted, { signal: leaving.signal, onKey: () => leaving.abort(new Error('enough')) });
  await assert.rejects(work, /enough/);
  await assert.rejects(makeKeys(wanted, { signal: leaving.signal }), /enough/);
});

test('nothing wanted is nothing made', async () => {
  assert.equal((await makeKeys([])).size, 0);
});
