import assert from 'node:assert/strict';
import test from 'node:test';
import { durationMs } from './durations.ts';

const cases: [value: number | string, ms: number][] = [
  [0, 0],
  [1.5, 1500],
  ['250ms', 250],
  ['1m30s', 90_000],
  ['1.5h', 5_400_000],
  ['2s500ms', 2500],
  ['1500us', 1.5],
  ['1500µs', 1.5],
  ['5000000ns', 5],
];

for (const [value, ms] of cases) {
  test(`${value} is ${ms} ms`, () => {
    assert.ok(Math.abs(durationMs(value) - ms) < 1e-9);
  });
}
