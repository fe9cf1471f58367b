import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DigestInput, digestAlgorithmOf, digestResponse, hashedUser, newDigestHash } from './digest.ts';

// RFC 7616 §3.9.1.
const mufasa: DigestInput = {
  algorithm: 'MD5',
  user: 'Mufasa',
  realm: 'http-auth@example.org',
  password: 'Circle of Life',
  method: 'GET',
  uri: '/dir/index.html',
  nonce: '7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v',
  qop: 'auth',
  cnonce: 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ',
  nc: '00000001',
  bodyHash: '',
};

// RFC 7616 §3.9.2, with the values of erratum 4897: the document itself truncated SHA-512 instead of using SHA-512/256.
const jason: DigestInput = {
  ...mufasa,
  algorithm: 'SHA-512-256',
  user: 'Jäsøn Doe',
  realm: 'api@example.org',
  password: 'Secret, or not?',
  uri: '/doe.json',
  nonce: '5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK',
  cnonce: 'NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v',
};

// RFC 2617 §3.5.
const rfc2617: DigestInput = {
  ...mufasa,
  realm: 'testrealm@host.com',
  password: 'Circle Of Life',
  nonce: 'dcd98b7102dd2f0e8b11d0f600bfb0c093',
  cnonce: '0a4f113b',
};

test('the examples of the RFCs come out', () => {
  assert.equal(digestResponse(mufasa), '8ca523f5e9506fed4657c9700eebdbec');
  assert.equal(
    digestResponse({ ...mufasa, algorithm: 'SHA-256' }),
    '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1',
  );
  assert.equal(digestResponse(jason), '3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5');
  assert.equal(
    hashedUser('SHA-512-256', jason.user, jason.realm),
    '793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b',
  );
  assert.equal(digestResponse(rfc2617), '6629fae49393a05397450978507c4ef1');
  // RFC 2069 has neither qop nor cnonce; the value is the one of its well-known erratum.
  const rfc2069 = { ...rfc2617, password: 'CircleOfLife', qop: undefined };
  assert.equal(digestResponse(rfc2069), '1949323746fe6a43ef61f9606e7febea');
});

test('the content counts for auth-int, and only there', () => {
  const hash = (body: string) => newDigestHash('MD5').update(body).digest('hex');
  const withBody = (qop: 'auth' | 'auth-int', body: string) =>
    digestResponse({ ...mufasa, qop, bodyHash: hash(body) });
  assert.notEqual(withBody('auth-int', 'a'), withBody('auth-int', 'b'));
  assert.equal(withBody('auth', 'a'), withBody('auth', 'b'));
});

test('the -sess forms bind the key to nonce and cnonce', () => {
  const sess = { ...mufasa, algorithm: 'MD5-sess' } as const;
  assert.equal(digestResponse(sess), 'e783283f46242139c486a698fec7211d');
});

test('algorithm names are matched without their casing', () => {
  assert.equal(digestAlgorithmOf('sha-512-256-SESS'), 'SHA-512-256-sess');
  assert.equal(digestAlgorithmOf('SHA-1'), undefined);
});
