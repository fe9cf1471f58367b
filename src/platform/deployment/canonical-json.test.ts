import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalJson } from './canonical-json.ts';

const cases: Array<[value: unknown, text: string]> = [
  [{ b: 1, a: { d: [2, 1], c: null } }, '{"a":{"c":null,"d":[2,1]},"b":1}'],
  [{ a: undefined }, '{}'],
  [[{ b: '', a: false }], '[{"a":false,"b":""}]'],
  ['ä"', '"ä\\""'],
  [null, 'null'],
];
for (const [value, text] of cases) {
  test(`${text} is written in one way only`, () => assert.equal(canonicalJson(value), text));
}

test('a member that is called like a number is no reason for another order', () => {
  assert.equal(canonicalJson({ b: 1, 2: 1, a: 1 }), canonicalJson({ a: 1, b: 1, 2: 1 }));
});
