// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of addresses are written so.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MASK } from '../kernel/mask.ts';
import { SecretBox } from '../kernel/secret-box.ts';
import { completeParameters, type ParameterSet } from './connection.ts';
import {
  isSecretHeader,
  maskedParameters,
  missingSecrets,
  openParameters,
  sealParameters,
  withStoredSecrets,
} from './connection-secrets.ts';

const box = new SecretBox(Buffer.alloc(32, 7));
const place = { connectionId: 'c'.repeat(24), environmentId: 'e'.repeat(24) };
const set = (given: Partial<ParameterSet> = {}): ParameterSet =>
  completeParameters({ httpMethod: 'POST', fullUrl: 'https://crm.example/', ...given });

for (const [name, value, isSecret] of [
  ['Authorization', 'Bearer abc', true],
  ['authorization', 'x', true],
  ['X-Api-Key', 'x', true],
  ['apikey', 'x', true],
  ['X-Auth-Token', 'x', true],
  ['X-Client-Secret', 'x', true],
  ['Cookie', 'a=b', true],
  ['X-Password', 'x', true],
  ['X-Signature', 'x', true],
  ['X-Custom', 'Basic dXNlcjpwYXNz', true],
  ['X-Custom', 'Splunk 11111111-2222', true],
  ['X-Custom', 'eyJhbGciOiJIUzI1NiJ9.e30.x', true],
  ['Content-Type', 'application/json', false],
  ['X-Origin', 'gateway', false],
  ['Accept', '*/*', false],
] as const) {
  test(`${name}: ${value} is ${isSecret ? 'a secret' : 'no secret'}`, () => {
    assert.equal(isSecretHeader({ name, value }), isSecret);
  });
}

test('secrets do not lie readable, and open at their own place alone', () => {
  const plain = set({
    fullUrl: 'https://crm.example/?token=abc123&page=1',
    headerList: [
      { name: 'Authorization', value: 'Bearer s3cret' },
      { name: 'X-Origin', value: 'gateway' },
    ],
  });
  const sealed = sealParameters(plain, place, box);
  assert.doesNotMatch(JSON.stringify(sealed), /s3cret|abc123/);
  assert.match(JSON.stringify(sealed), /"value":"gateway"/);
  assert.deepEqual(openParameters(sealed, place, box), plain);
  assert.throws(
    () => openParameters(sealed, { ...place, environmentId: 'f'.repeat(24) }, box),
    /cannot be read/,
  );
});

test('what is shown has masks in their places', () => {
  const sealed = sealParameters(
    set({
      fullUrl: 'https://crm.example/?token=abc123&page=1&key=${key}',
      headerList: [{ name: 'Authorization', value: 'Bearer s3cret' }],
    }),
    place,
    box,
  );
  const shown = maskedParameters(sealed);
  assert.equal(shown.fullUrl, 'https://crm.example/?token=******&page=1&key=${key}');
  assert.deepEqual(shown.headerList, [{ name: 'Authorization', value: MASK }]);
  assert.ok(!('sealedUrl' in shown));
});

test('a secret that an older release stored readable is masked all the same', () => {
  const older = {
    httpMethod: 'POST',
    fullUrl: 'https://a.example/?api_key=1',
    headerList: [{ name: 'Cookie', value: 'a' }],
  } as const;
  const shown = maskedParameters(older);
  assert.deepEqual([shown.fullUrl, shown.headerList[0]?.value], ['https://a.example/?api_key=******', MASK]);
});

test('masks that come back stand for what is stored, by name and count', () => {
  const stored = set({
    fullUrl: 'https://a.example/?sig=1&token=first&token=second',
    headerList: [
      { name: 'Authorization', value: 'Bearer old' },
      { name: 'X-Api-Key', value: 'k' },
    ],
  });
  const given = set({
    fullUrl: 'https://b.example/new?token=******&token=******&sig=2',
    headerList: [
      { name: 'x-api-key', value: MASK },
      { name: 'Authorization', value: 'Bearer new' },
      { name: 'X-Other-Token', value: MASK },
    ],
  });
  const merged = withStoredSecrets(given, stored);
  assert.equal(merged.fullUrl, 'https://b.example/new?token=first&token=second&sig=2');
  assert.deepEqual(merged.headerList, [
    { name: 'x-api-key', value: 'k' },
    { name: 'Authorization', value: 'Bearer new' },
    { name: 'X-Other-Token', value: MASK },
  ]);
});

test('a mask that stands for nothing is stored as missing', () => {
  const sealed = sealParameters(
    set({ fullUrl: 'https://a.example/?token=******', headerList: [{ name: 'Cookie', value: MASK }] }),
    place,
    box,
  );
  assert.deepEqual(missingSecrets(sealed), ['fullUrl', 'Cookie']);
  assert.deepEqual(sealed.headerList, [{ name: 'Cookie', isMissing: true }]);
  assert.equal(sealed.sealedUrl, undefined);
  assert.deepEqual(missingSecrets(sealParameters(set(), place, box)), []);
});
