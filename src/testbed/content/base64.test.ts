import assert from 'node:assert/strict';
import test from 'node:test';
import { decodeBase64, utf8Text } from './base64.ts';

const cases: [text: string, padded: string | undefined, optional: string | undefined][] = [
  ['', '', ''],
  ['YQ==', '61', '61'],
  ['YWI=', '6162', '6162'],
  ['YWJj', '616263', '616263'],
  ['YQ', undefined, '61'],
  ['YWI', undefined, '6162'],
  ['-_8=', 'fbff', 'fbff'],
  ['+/8=', 'fbff', 'fbff'],
  ['YQ=', undefined, undefined],
  ['Y', undefined, undefined],
  ['YWJjZ', undefined, undefined],
  ['YQ===', undefined, undefined],
  ['Y=Q=', undefined, undefined],
  ['YW Jj', undefined, undefined],
  ['YW*j', undefined, undefined],
];

for (const [text, padded, optional] of cases) {
  test(`"${text}" is ${padded ?? 'no base64'}, without padding ${optional ?? 'neither'}`, () => {
    assert.equal(decodeBase64(text)?.toString('hex'), padded);
    assert.equal(decodeBase64(text, { isPaddingOptional: true })?.toString('hex'), optional);
  });
}

test('bytes that are no UTF-8 are no text', () => {
  assert.equal(utf8Text(Buffer.from([0xff])), undefined);
  assert.equal(utf8Text(Buffer.from('\ufeffş')), '\ufeffş');
});
