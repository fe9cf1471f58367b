import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareOrder } from './header-order.ts';

const cases: ReadonlyArray<{ expected: string; received: string; moved: string; missing: string }> = [
  { expected: 'a b c', received: 'a b c', moved: '', missing: '' },
  { expected: 'a b c', received: 'a x b y c', moved: '', missing: '' },
  { expected: 'a b c', received: 'c a b', moved: 'c', missing: '' },
  { expected: 'a b c', received: 'b c a', moved: 'a', missing: '' },
  { expected: 'a b c', received: 'a c', moved: '', missing: 'b' },
  { expected: 'a b a', received: 'a a b', moved: 'a', missing: '' },
  { expected: 'a b c d', received: 'd c b a', moved: 'd c b', missing: '' },
  { expected: '', received: 'a', moved: '', missing: '' },
];

for (const { expected, received, moved, missing } of cases) {
  test(`sent "${expected}", received "${received}": moved "${moved}", missing "${missing}"`, () => {
    const comparison = compareOrder(words(expected), words(received));
    assert.equal(comparison.missing.join(' '), missing);
    assert.equal(comparison.moved.length, words(moved).length, comparison.moved.join(' '));
    assert.equal(comparison.ok, moved === '' && missing === '');
  });
}

test('the field that moved is named, not those it passed', () => {
  assert.deepEqual(compareOrder(['a', 'b', 'c', 'd'], ['b', 'c', 'd', 'a']).moved, ['a']);
});

function words(text: string): string[] {
  return text === '' ? [] : text.split(' ');
}
