import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { test } from 'node:test';
import { AuthKeys } from '../state/auth-keys.ts';
import { type JwtExpectation, jwkSet, readJwt, signJwt } from './jwt.ts';

const signingKeys = await new AuthKeys().signingKeys();
const keys = { secret: 'your-256-bit-secret', signingKeys };
const now: JwtExpectation = { nowSeconds: 1_000, leewaySeconds: 0, audience: undefined, issuer: undefined };
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

test('a well-known HS256 token verifies', () => {
  const token =
    'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c';
  const reading = readJwt(token, keys, { ...now, nowSeconds: 2e9 });
  assert.equal(reading.isValid, true);
  assert.equal(reading.payload?.name, 'John Doe');
});

test('each algorithm verifies what it signed, and nothing else', () => {
  for (const algorithm of ['HS256', 'RS256', 'ES256'] as const) {
    const token = signJwt(algorithm, { sub: 'a' }, keys);
    assert.deepEqual(readJwt(token, keys, now).reasons, [], algorithm);
    const [header, , signature] = token.split('.');
    const forged = `${header}.${part({ sub: 'b' })}.${signature}`;
    assert.deepEqual(readJwt(forged, keys, now).reasons, ['signature'], algorithm);
  }
});

test('the published keys verify the tokens', () => {
  const set = jwkSet(signingKeys);
  for (const algorithm of ['RS256', 'ES256'] as const) {
    const [header, payload, signature] = signJwt(algorithm, { sub: 'a' }, keys).split('.');
    const jwk = set.keys.find(({ alg }) => alg === algorithm)!;
    assert.equal('d' in jwk, false);
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    const signed = Buffer.from(`${header}.${payload}`);
    const bytes = Buffer.from(signature!, 'base64url');
    assert.ok(verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, bytes));
  }
});

test('every broken rule is named', () => {
  const cases: Array<[reasons: string[], payload: object, expected: Partial<JwtExpectation>]> = [
    [['exp'], { exp: 1_000 }, {}],
    [[], { exp: 1_000 }, { leewaySeconds: 1 }],
    [['exp'], { exp: 'tomorrow' }, {}],
    [['nbf'], { nbf: 1_001 }, {}],
    [['iat'], { iat: 1_001 }, {}],
    [['aud'], { aud: ['a', 'b'] }, { audience: 'c' }],
    [[], { aud: ['a', 'b'] }, { audience: 'b' }],
    [['iss'], {}, { issuer: 'x' }],
    [['exp', 'aud'], { exp: 1 }, { audience: 'c' }],
  ];
  for (const [reasons, payload, expected] of cases) {
    const token = signJwt('HS256', { ...payload }, keys);
    assert.deepEqual(readJwt(token, keys, { ...now, ...expected }).reasons, reasons);
  }
});

test('tokens that try to choose their own verification are refused', () => {
  const rsaAsSecret = signJwt('HS256', {}, { ...keys, secret: signingKeys[0]!.publicKey });
  assert.deepEqual(readJwt(rsaAsSecret, keys, now).reasons, ['signature']);
  for (const [header, reason] of [
    [{ alg: 'none' }, 'alg none'],
    [{ alg: 'nOnE' }, 'alg none'],
    [{ alg: 'HS512' }, 'alg'],
    [{ alg: 'RS256', kid: 'other' }, 'kid'],
    [{ alg: 'HS256', crit: ['exp'] }, 'crit'],
    [{}, 'alg'],
  ] as const) {
    assert.deepEqual(readJwt(`${part(header)}.${part({})}.`, keys, now).reasons, [reason]);
  }
  for (const token of ['', 'a.b', 'e30.e30', `${part({})}.${part([])}.`, 'e30.e30.x.y']) {
    assert.deepEqual(readJwt(token, keys, now).reasons, ['malformed'], token);
  }
});
