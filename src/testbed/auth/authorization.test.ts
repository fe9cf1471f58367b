import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leastMs } from '../../kernel/testing/least-time.ts';
import { basicCredentials, isSameLogin, isSameSecret, parseAuthorization } from './authorization.ts';
import { parseDigestCredentials } from './digest-credentials.ts';
import { isLiveNonce, makeNonce, NONCE_LIFETIME_MS } from './nonce.ts';

const base64 = (text: string, encoding: BufferEncoding = 'utf8') =>
  Buffer.from(text, encoding).toString('base64');

test('basic credentials are read as UTF-8, else as Latin-1, split at the first colon', () => {
  assert.deepEqual(basicCredentials(`Basic ${base64('user:pa:ss')}`), { user: 'user', password: 'pa:ss' });
  assert.deepEqual(basicCredentials(`bAsIc   ${base64('şule:ığ')}`), { user: 'şule', password: 'ığ' });
  assert.deepEqual(basicCredentials(`Basic ${base64('jürgen:é', 'latin1')}`), {
    user: 'jürgen',
    password: 'é',
  });
  for (const header of [
    undefined,
    '',
    'Basic',
    `Basic ${base64('nocolon')}`,
    'Basic a b',
    'Bearer x',
    'Basic ###',
  ]) {
    assert.equal(basicCredentials(header), undefined, String(header));
  }
});

test('parameters may be quoted, escaped, spaced, and in any casing', () => {
  const { scheme, params } = parseAuthorization('DIGEST  Username="a \\"b\\", c" , NC=00000001,qop=auth')!;
  assert.equal(scheme, 'digest');
  assert.deepEqual(
    [...params],
    [
      ['username', 'a "b", c'],
      ['nc', '00000001'],
      ['qop', 'auth'],
    ],
  );
  assert.equal(parseAuthorization('Digest a="unterminated')?.params.size, 0);
  assert.equal(parseAuthorization('Digest a=1, broken')?.params.size, 0);
});

test('a long run of separators does not slow the parser down', async () => {
  const tookMs = await leastMs(() => {
    parseAuthorization(`Digest a=1${', '.repeat(20_000)}x`);
    parseAuthorization(`Digest a="${'\\"'.repeat(20_000)}`);
  });
  assert.ok(tookMs < 200, `${tookMs} ms`);
});

test('secrets compare whole', () => {
  assert.ok(isSameSecret('a', 'a'));
  assert.ok(!isSameSecret('a', 'ab'));
  const login = { user: 'u', password: 'p' };
  assert.ok(isSameLogin({ ...login }, login));
  assert.ok(!isSameLogin({ ...login, password: '' }, login));
  assert.ok(!isSameLogin(undefined, { user: '', password: '' }));
});

test('digest credentials that no conforming client sends are none', () => {
  const whole = {
    username: 'u',
    realm: 'r',
    uri: '/',
    nonce: 'n',
    response: 'ABC',
    qop: 'auth',
    nc: '00000001',
    cnonce: 'c',
  };
  const parse = (changes: Record<string, string | undefined>) => {
    const members = Object.entries({ ...whole, ...changes }).filter(([, value]) => value !== undefined);
    return parseDigestCredentials(
      `Digest ${members.map(([name, value]) => `${name}="${value}"`).join(', ')}`,
    );
  };
  assert.equal(parse({})?.response, 'abc');
  assert.equal(parse({ username: undefined, 'username*': "UTF-8''J%C3%A4s%C3%B8n" })?.user, 'Jäsøn');
  assert.equal(parse({ qop: undefined, nc: undefined, cnonce: undefined })?.qop, undefined);
  for (const changes of [
    { username: undefined },
    { 'username*': "UTF-8''x" },
    { nonce: undefined },
    { response: undefined },
    { nc: '1' },
    { nc: '00000000' },
    { cnonce: undefined },
    { qop: 'auth-conf' },
    { algorithm: 'SHA-1' },
    { algorithm: 'MD5-sess', qop: undefined, cnonce: undefined },
  ]) {
    assert.equal(parse(changes), undefined, JSON.stringify(changes));
  }
});

test('a nonce is known by its key and realm, and dies', () => {
  const key = Buffer.alloc(32, 1);
  const random = Buffer.from('0123456789');
  const nonce = makeNonce(key, 'realm', 1_000, random);
  assert.ok(isLiveNonce(key, 'realm', 1_000, nonce));
  assert.ok(isLiveNonce(key, 'realm', 1_000 + NONCE_LIFETIME_MS, nonce));
  assert.ok(!isLiveNonce(key, 'realm', 1_001 + NONCE_LIFETIME_MS, nonce));
  assert.ok(!isLiveNonce(key, 'realm', 999, nonce));
  assert.ok(!isLiveNonce(key, 'other', 1_000, nonce));
  assert.ok(!isLiveNonce(Buffer.alloc(32, 2), 'realm', 1_000, nonce));
  assert.ok(!isLiveNonce(key, 'realm', 1_000, `${nonce}=`));
  assert.ok(!isLiveNonce(key, 'realm', 1_000, ''));
});
