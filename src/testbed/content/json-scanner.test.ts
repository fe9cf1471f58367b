import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonMistake, JsonScanner, type JsonSummary } from './json-scanner.ts';

function scan(text: string, chunkSize: number): JsonSummary | JsonMistake {
  const bytes = Buffer.from(text);
  const scanner = new JsonScanner();
  for (let at = 0; at < bytes.length; at += chunkSize) scanner.write(bytes.subarray(at, at + chunkSize));
  return scanner.end() ?? scanner.mistake!;
}

const texts = [
  '{}',
  '[]',
  ' [1, -0.5e+10, 0, 1E2] ',
  '{"a":{"b":[{"c":null}]},"d":"\\u00e9\\n\\"x","e":true}',
  '"ş ğ"',
  '12',
  'null',
  '',
  ' ',
  '[',
  '[1,]',
  '[,1]',
  '{"a"}',
  '{"a":}',
  '{"a":1,}',
  '{a:1}',
  '[1 2]',
  '[1]]',
  '{}{}',
  '[}',
  '01',
  '1.',
  '-',
  '+1',
  '.5',
  '1e',
  'tru',
  'True',
  'nullx',
  '"a\nb"',
  '"\\x"',
  '"\\u12g4"',
  '"open',
  'NaN',
  "'a'",
];

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

for (const text of texts) {
  test(`${JSON.stringify(text)} is judged as JSON.parse judges it, however it is cut`, () => {
    for (const chunkSize of [1, 2, 3, 1000]) {
      const outcome = scan(text, chunkSize);
      assert.equal('kind' in outcome, isJson(text), JSON.stringify(outcome));
      assert.deepEqual(outcome, scan(text, 1));
    }
  });
}

test('random mutations of a text are judged as JSON.parse judges them', () => {
  const original = '{"a":[1,2.5e-3,{"b":"x\\u0041\\n"}],"c":false,"d":null,"e":[]}';
  let seed = 7;
  const next = (bound: number) => {
    seed = (seed * 1103515245 + 12345) % 2 ** 31;
    return seed % bound;
  };
  for (let round = 0; round < 5000; round++) {
    const at = next(original.length);
    const replacement = '{}[]",:0e.-\\tn '.charAt(next(15));
    const text = original.slice(0, at) + replacement + original.slice(at + next(2));
    assert.equal('kind' in scan(text, 7), isJson(text), text);
  }
});

test('kind, size and depth of the outermost value are told', () => {
  assert.deepEqual(scan('{"a":{"b":[]},"c":1}', 5), { kind: 'object', size: 2, depth: 3 });
  assert.deepEqual(scan('[[1,2],[3]]', 5), { kind: 'array', size: 2, depth: 2 });
  assert.deepEqual(scan('"x"', 5), { kind: 'string', size: 0, depth: 0 });
});

test('a mistake is told with the offset of its byte', () => {
  assert.deepEqual(scan('{"a":1,}', 3), { offset: 7, rule: 'expected the name of a member' });
  assert.deepEqual(scan('[1, tru]', 3), { offset: 7, rule: 'expected true' });
});

test('nesting that only serves to exhaust memory is refused', () => {
  const outcome = scan('['.repeat(1_000_000), 65536);
  assert.equal('offset' in outcome && outcome.offset, 10_000);
});
