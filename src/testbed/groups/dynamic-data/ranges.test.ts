import assert from 'node:assert/strict';
import test from 'node:test';
import { httpbinRange } from './ranges.ts';

const cases: [header: string | undefined, first: number, last: number][] = [
  [undefined, 0, 25],
  ['bytes=0-', 0, 25],
  ['bytes=5-9', 5, 9],
  ['bytes=-5', 21, 25],
  ['bytes=-100', 0, 25],
  ['bytes=10-99', 10, 99],
  ['bytes=30-', 30, 25],
  ['bytes=a-b', 0, 25],
  ['bytes=', 0, 25],
  ['bytes=0-1,3-4', 0, 25],
  ['lines=0-1', 0, 25],
];

for (const [header, first, last] of cases) {
  test(`httpbin reads Range ${header ?? '(none)'} of 26 bytes as ${first} to ${last}`, () => {
    assert.deepEqual(httpbinRange(header, 26), { first, last });
  });
}
