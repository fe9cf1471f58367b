import assert from 'node:assert/strict';
import test from 'node:test';
import { chooseCoding, chooseMediaType, parseQualityList } from './negotiation.ts';

test('a list keeps ranges, parameters and weights', () => {
  assert.deepEqual(parseQualityList('text/HTML;level=1;q=0.4;ext=x, , */*;q=0.01, a/b;p="x, ; \\"y"'), [
    { value: 'text/html', params: { level: '1' }, quality: 0.4 },
    { value: '*/*', params: {}, quality: 0.01 },
    { value: 'a/b', params: { p: 'x, ; "y' }, quality: 1 },
  ]);
});

for (const weight of ['2', '-1', '0.1234', 'x', '', '1.001']) {
  test(`an element with the malformed weight "${weight}" says nothing`, () => {
    const values = parseQualityList(`gzip;q=${weight}`).map((item) => item.value);
    assert.ok(!values.includes('gzip'));
  });
}

// The example of RFC 9110 §12.5.1, and the corners around it.
const rfcAccept =
  'text/*;q=0.3, text/plain;q=0.7, text/plain;format=flowed, text/plain;format=fixed;q=0.4, */*;q=0.5';
const rfcWeights = [
  ['text/plain;format=flowed', 1],
  ['text/plain', 0.7],
  ['text/html', 0.3],
  ['image/jpeg', 0.5],
  ['text/plain;format=fixed', 0.4],
  ['text/html;level=3', 0.3],
] as const;

for (const [offer, weight] of rfcWeights) {
  test(`the RFC's example weighs ${offer} with ${weight}`, () => {
    assert.equal(chooseMediaType(rfcAccept, [offer]).ranked[0]?.quality, weight);
  });
}

const mediaCases: [accept: string | undefined, offered: string[], chosen: string | undefined][] = [
  [undefined, ['image/png', 'image/webp'], 'image/png'],
  ['', ['image/png', 'image/webp'], 'image/png'],
  ['*/*', ['image/png', 'image/webp'], 'image/png'],
  ['image/webp, image/*;q=0.8', ['image/png', 'image/webp'], 'image/webp'],
  ['image/*, image/png;q=0', ['image/png', 'image/webp'], 'image/webp'],
  ['text/html', ['image/png', 'image/webp'], undefined],
  ['image/png;q=0', ['image/png'], undefined],
  ['APPLICATION/JSON', ['application/json; charset=utf-8'], 'application/json; charset=utf-8'],
  [
    'text/plain;charset=UTF-8',
    ['text/plain;charset=iso-8859-9', 'text/plain;charset=utf-8'],
    'text/plain;charset=utf-8',
  ],
  [
    'application/xml;q=0.9, application/json;q=0.9',
    ['application/json', 'application/xml'],
    'application/json',
  ],
];

for (const [accept, offered, chosen] of mediaCases) {
  test(`Accept: ${accept ?? '(none)'} of ${offered.join(', ')} chooses ${chosen}`, () => {
    assert.equal(chooseMediaType(accept, offered).chosen, chosen);
  });
}

const all = ['gzip', 'deflate', 'br', 'zstd', 'identity'];
const codingCases: [accept: string | undefined, offered: string[], chosen: string | undefined][] = [
  [undefined, all, 'identity'],
  [undefined, ['gzip'], 'gzip'],
  ['', all, 'identity'],
  ['', ['gzip'], undefined],
  ['gzip', all, 'gzip'],
  ['x-gzip', all, 'gzip'],
  ['gzip;q=0.5, br;q=0.8', all, 'br'],
  ['br, gzip', all, 'gzip'],
  ['gzip;q=0', all, 'identity'],
  ['identity;q=0', all, undefined],
  ['*;q=0', all, undefined],
  ['*;q=0, identity;q=0.1', all, 'identity'],
  ['*', all, 'gzip'],
  ['gzip;q=0, *;q=0.3', all, 'deflate'],
  ['identity, gzip;q=0.9', all, 'identity'],
  ['gzip;q=0.001', all, 'gzip'],
  ['compress', all, 'identity'],
  ['GZIP', all, 'gzip'],
];

for (const [accept, offered, chosen] of codingCases) {
  test(`Accept-Encoding: ${accept ?? '(none)'} of ${offered.join(', ')} chooses ${chosen}`, () => {
    assert.equal(chooseCoding(accept, offered).chosen, chosen);
  });
}

test('the ranking tells the weight of every offer and what decided it', () => {
  assert.deepEqual(chooseCoding('br;q=0.4, *;q=0.2, zstd;q=0', ['zstd', 'gzip', 'br']).ranked, [
    { value: 'br', quality: 0.4, isAcceptable: true, decidedBy: 'br' },
    { value: 'gzip', quality: 0.2, isAcceptable: true, decidedBy: '*' },
    { value: 'zstd', quality: 0, isAcceptable: false, decidedBy: 'zstd' },
  ]);
});
