import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { SecretBox, SecretUnreadable, type UnreadableReason } from './secret-box.ts';

const key = randomBytes(32);
const box = new SecretBox(key);
const place = 'key-stores/1/content';

const unreadable = (reason: UnreadableReason) => (error: unknown) =>
  error instanceof SecretUnreadable && error.reason === reason;

describe('a sealed secret', () => {
  test('opens to the same bytes, also with another box of the same key', () => {
    for (const secret of [Buffer.alloc(0), Buffer.from('şifre'), randomBytes(100_000)]) {
      const sealed = box.seal(secret, place);
      assert.deepEqual(new SecretBox(key).open(sealed, place), secret);
    }
    assert.equal(box.open(box.seal('şifre', place), place).toString(), 'şifre');
  });

  test('says its version and key, and nothing of its content', () => {
    const sealed = box.seal('password', place);
    assert.match(sealed, /^v1\.[0-9a-f]{8}\.[A-Za-z0-9_-]+$/);
    assert.ok(!Buffer.from(sealed.split('.')[2]!, 'base64url').includes('password'));
  });

  test('looks different every time', () => {
    assert.notEqual(box.seal('a', place), box.seal('a', place));
  });

  test('does not open at another place', () => {
    assert.throws(() => box.open(box.seal('a', place), 'key-stores/2/content'), unreadable('tampered'));
  });

  test('does not open with another key', () => {
    const sealed = box.seal('a', place);
    assert.throws(() => new SecretBox(randomBytes(32)).open(sealed, place), unreadable('wrong-key'));
  });

  test('does not open when any one bit of it was changed', () => {
    const [version, keyId, text] = box.seal('abc', place).split('.');
    const bytes = Buffer.from(text!, 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      const sealed = `${version}.${keyId}.${changed.toString('base64url')}`;
      assert.throws(() => box.open(sealed, place), unreadable('tampered'), `bit ${bit}`);
    }
  });

  for (const text of ['', 'password', 'v2.00000000.AAAA', 'v1.00000000.AAAA', `v1.0.${'A'.repeat(80)}`]) {
    test(`'${text.slice(0, 20)}' is none`, () => {
      assert.throws(() => box.open(text, place), unreadable('malformed'));
    });
  }
});

test('a key of another length is refused', () => {
  assert.throws(() => new SecretBox(randomBytes(16)), /32 bytes/);
});

test('keys for other purposes follow from the master key, each another one', () => {
  const masterKey = randomBytes(32);
  const derived = (purpose: string) => new SecretBox(masterKey).derivedKey(purpose).toString('hex');
  assert.equal(derived('a'), derived('a'));
  assert.equal(new Set([derived('a'), derived('b'), masterKey.toString('hex')]).size, 3);
  assert.notEqual(new SecretBox(randomBytes(32)).derivedKey('a').toString('hex'), derived('a'));
});
