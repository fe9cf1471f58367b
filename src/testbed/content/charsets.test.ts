import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leastMs } from '../../kernel/testing/least-time.ts';
import {
  type Charset,
  charsetOf,
  charsets,
  contentTypeOf,
  decodeText,
  detectBom,
  encodeText,
} from './charsets.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
const allBytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));

const written: readonly [Charset, text: string, bytes: string][] = [
  ['utf-8', 'ş€😀', 'c59f e282ac f09f9880'],
  ['utf-16', 'ş😀', 'feff 015f d83dde00'],
  ['utf-16le', 'ş😀', '5f01 3dd800de'],
  ['utf-16be', 'ş😀', '015f d83dde00'],
  ['utf-32', 'ş😀', '0000feff 0000015f 0001f600'],
  ['utf-32le', 'ş😀', '5f010000 00f60100'],
  ['utf-32be', 'ş😀', '0000015f 0001f600'],
  ['us-ascii', 'abc', '616263'],
  ['iso-8859-1', 'Ðýþü', 'd0fdfefc'],
  ['iso-8859-9', 'ĞİŞğış', 'd0dddef0fdfe'],
  ['windows-1252', '€Žœü', '808e9cfc'],
  ['windows-1254', '€ğış–', '80f0fdfe96'],
  ['shift_jis', '日本ｱ', '93fa 967b b1'],
  ['gb18030', '中ş😀', 'd6d0 81309436 9439fc36'],
];

for (const [charset, text, bytes] of written) {
  test(`${charset} writes and reads the same bytes`, () => {
    const expected = hex(bytes);
    assert.deepEqual(encodeText(text, charset), { bytes: expected, unmappable: [] });
    assert.deepEqual(decodeText(expected, charset), { text, isValid: true, invalid: [] });
  });
}

for (const charset of ['iso-8859-1', 'iso-8859-9', 'windows-1252', 'windows-1254'] as const) {
  test(`every byte of ${charset} survives a round trip`, () => {
    const decoded = decodeText(allBytes, charset);
    assert.equal(decoded.isValid, true);
    assert.deepEqual(encodeText(decoded.text, charset).bytes, allBytes);
  });
}

test('iso-8859-1 and -9 keep the control range that TextDecoder gives to Windows', () => {
  assert.equal(decodeText(hex('80'), 'iso-8859-1').text, '\u0080');
  assert.equal(decodeText(hex('80'), 'iso-8859-9').text, '\u0080');
  assert.equal(decodeText(hex('80'), 'windows-1252').text, '€');
  assert.equal(decodeText(hex('80'), 'windows-1254').text, '€');
});

test('the Windows tables agree with the platform', () => {
  for (const charset of ['windows-1252', 'windows-1254'] as const) {
    assert.equal(decodeText(allBytes, charset).text, new TextDecoder(charset).decode(allBytes));
  }
});

test('characters a charset does not have become ? and are named once', () => {
  const encoded = encodeText('şaş€', 'iso-8859-1');
  assert.deepEqual(encoded, { bytes: Buffer.from('?a??'), unmappable: ['ş', '€'] });
  assert.deepEqual(encodeText('ş?日', 'shift_jis').unmappable, ['ş']);
});

const invalid: readonly [Charset, bytes: string, text: string, [offset: number, hex: string][]][] = [
  ['utf-8', '61 ff 62', 'a\uFFFDb', [[1, 'ff']]],
  ['utf-8', '61 e282 62', 'a\uFFFDb', [[1, 'e282']]],
  [
    'utf-8',
    'c0af',
    '\uFFFD\uFFFD',
    [
      [0, 'c0'],
      [1, 'af'],
    ],
  ],
  [
    'utf-8',
    'eda080',
    '\uFFFD\uFFFD\uFFFD',
    [
      [0, 'ed'],
      [1, 'a0'],
      [2, '80'],
    ],
  ],
  [
    'utf-8',
    'f4908080',
    '\uFFFD\uFFFD\uFFFD\uFFFD',
    [
      [0, 'f4'],
      [1, '90'],
      [2, '80'],
      [3, '80'],
    ],
  ],
  ['utf-8', 'efbbbf fe', '\uFFFD', [[3, 'fe']]],
  ['us-ascii', '61 fc', 'a\uFFFD', [[1, 'fc']]],
  ['utf-16le', '6100 00d8 6200', 'a\uFFFDb', [[2, '00d8']]],
  ['utf-16be', '0061 00', 'a\uFFFD', [[2, '00']]],
  ['utf-32be', '00110000', '\uFFFD', [[0, '00110000']]],
  [
    'utf-32le',
    '00d80000 61',
    '\uFFFD\uFFFD',
    [
      [0, '00d80000'],
      [4, '61'],
    ],
  ],
  ['shift_jis', '61 81', 'a\uFFFD', [[1, '81']]],
  ['shift_jis', '93fa a0 61', '日\uFFFDa', [[2, 'a0']]],
];

for (const [charset, bytes, text, sequences] of invalid) {
  test(`${charset} tells where ${bytes} is invalid`, () => {
    const expected = sequences.map(([offset, sequenceHex]) => ({ offset, hex: sequenceHex }));
    assert.deepEqual(decodeText(hex(bytes), charset), { text, isValid: false, invalid: expected });
  });
}

test('invalid UTF-8 is found where the platform replaces it, for random bytes', () => {
  let seed = 7;
  const nextByte = () => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return (seed >>> 16) & 0xff;
  };
  for (let round = 0; round < 2000; round++) {
    const bytes = Buffer.from(Array.from({ length: 12 }, nextByte));
    const replaced = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes).split('\uFFFD').length - 1;
    assert.equal(decodeText(bytes, 'utf-8').invalid.length, replaced, bytes.toString('hex'));
  }
});

test('a byte-order mark is told apart and left out of the text', () => {
  assert.deepEqual(detectBom(hex('efbbbf61')), { charset: 'utf-8', length: 3 });
  assert.deepEqual(detectBom(hex('fffe6100')), { charset: 'utf-16le', length: 2 });
  assert.deepEqual(detectBom(hex('feff0061')), { charset: 'utf-16be', length: 2 });
  assert.deepEqual(detectBom(hex('fffe000061000000')), { charset: 'utf-32le', length: 4 });
  assert.deepEqual(detectBom(hex('0000feff00000061')), { charset: 'utf-32be', length: 4 });
  assert.equal(detectBom(hex('6162')), undefined);
  assert.equal(decodeText(hex('efbbbf61'), 'utf-8').text, 'a');
  assert.equal(decodeText(hex('fffe6100'), 'utf-16').text, 'a');
  assert.equal(decodeText(hex('fffe6100'), 'utf-16le').text, 'a');
  assert.equal(decodeText(hex('fffe00006100'), 'utf-16le').text, '\0a');
});

test('labels are read in any casing, with their usual aliases', () => {
  assert.equal(charsetOf(' UTF-8 '), 'utf-8');
  assert.equal(charsetOf('latin5'), 'iso-8859-9');
  assert.equal(charsetOf('klingon'), undefined);
  assert.equal(
    charsets.every((charset) => charsetOf(charset.toUpperCase()) === charset),
    true,
  );
});

test('a Content-Type is taken apart as RFC 9110 §8.3.1 says', () => {
  const parsed = contentTypeOf('TEXT/HTML ; Charset="UTF\\-8";x=1;; y="a;b" ; charset=latin1');
  assert.equal(parsed.type, 'text/html');
  assert.deepEqual(
    [...parsed.params],
    [
      ['charset', 'UTF-8'],
      ['x', '1'],
      ['y', 'a;b'],
    ],
  );
  assert.equal(parsed.charset, 'utf-8');
  for (const malformed of [undefined, '', 'foo', 'text/', 'text/html, text/plain']) {
    assert.deepEqual(contentTypeOf(malformed), { type: undefined, params: new Map(), charset: undefined });
  }
});

test('a hostile Content-Type is read in no time', async () => {
  const tookMs = await leastMs(() => {
    contentTypeOf(`text/plain;${' '.repeat(200_000)}x`);
    contentTypeOf(`text/plain${';'.repeat(200_000)}x`);
    contentTypeOf(`text/plain; a="${'\\\\'.repeat(50_000)}`);
  });
  assert.ok(tookMs < 500, `${tookMs} ms`);
});
