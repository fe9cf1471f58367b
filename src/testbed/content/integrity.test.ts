import assert from 'node:assert/strict';
import { test } from 'node:test';
import { integrityHeaders, md5Hex, parseContentDigest, sha256Hex } from './integrity.ts';

// RFC 9530 §B.1 gives this content and its SHA-256.
const RFC_CONTENT = '{"hello": "world"}\n';
const RFC_SHA256 = 'RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=';

test('the integrity headers carry the digest of RFC 9530 and its hex twin', () => {
  assert.deepEqual(integrityHeaders(RFC_CONTENT), [
    'Content-Digest',
    `sha-256=:${RFC_SHA256}:`,
    'X-Body-Sha256',
    Buffer.from(RFC_SHA256, 'base64').toString('hex'),
  ]);
});

test('digests of the empty body are the published ones', () => {
  assert.equal(sha256Hex(''), 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  assert.equal(md5Hex(''), 'd41d8cd98f00b204e9800998ecf8427e');
});

test('a Content-Digest field is read member by member', () => {
  const members = parseContentDigest(`sha-256=:${RFC_SHA256}:, sha-512=:AAAA:`);
  assert.deepEqual([...members!.keys()], ['sha-256', 'sha-512']);
  assert.equal(members!.get('sha-256')!.toString('base64'), RFC_SHA256);
});

for (const field of ['', 'sha-256', 'sha-256=abc', 'sha-256=:a b:', 'SHA-256=:AAAA:', 'sha-256=:AAAA:,']) {
  test(`${JSON.stringify(field)} is no Content-Digest`, () => {
    assert.equal(parseContentDigest(field), undefined);
  });
}
