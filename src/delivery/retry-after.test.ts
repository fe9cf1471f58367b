import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retryAfterMs } from './retry-after.ts';

const NOW_MS = Date.UTC(2026, 10, 15, 12, 0, 0);

const cases: ReadonlyArray<{
  readonly values: readonly string[];
  readonly date?: string;
  readonly ms: number | undefined;
}> = [
  { values: [], ms: undefined },
  { values: ['0'], ms: 0 },
  { values: ['3'], ms: 3_000 },
  { values: ['  7 '], ms: 7_000 },
  { values: ['1000000000000'], ms: 1e15 },
  { values: ['9'.repeat(400)], ms: Number.POSITIVE_INFINITY },
  { values: ['-1'], ms: undefined },
  { values: ['1.5'], ms: undefined },
  { values: ['1e3'], ms: undefined },
  { values: [''], ms: undefined },
  { values: ['soon'], ms: undefined },
  { values: ['1', '2'], ms: undefined },
  { values: ['1, 2'], ms: undefined },
  { values: ['Sun, 15 Nov 2026 12:00:04 GMT'], ms: 4_000 },
  { values: ['Sunday, 15-Nov-26 12:00:04 GMT'], ms: 4_000 },
  { values: ['Sun Nov 15 12:00:04 2026'], ms: 4_000 },
  { values: ['Fri Nov  6 12:00:04 2026'], ms: 0 },
  { values: ['Sunday, 06-Nov-94 08:49:37 GMT'], ms: 0 },
  { values: ['Sun, 15 Nov 2026 11:00:00 GMT'], ms: 0 },
  { values: ['Sun, 15 Nov 2026 12:00:04 CET'], ms: undefined },
  { values: ['Sun, 31 Feb 2026 12:00:04 GMT'], ms: undefined },
  { values: ['Sun, 15 Nov 2026 24:00:04 GMT'], ms: undefined },
  { values: ['Sun, 15 Foo 2026 12:00:04 GMT'], ms: undefined },
  { values: ['2026-11-15T12:00:04Z'], ms: undefined },
  {
    values: ['Sun, 15 Nov 2026 15:00:09 GMT'],
    date: 'Sun, 15 Nov 2026 15:00:00 GMT',
    ms: 9_000,
  },
  { values: ['Sun, 15 Nov 2026 12:00:04 GMT'], date: 'nonsense', ms: 4_000 },
];

for (const { values, date, ms } of cases) {
  const clock = date === undefined ? '' : ` on a server whose clock says ${date}`;
  test(`Retry-After ${JSON.stringify(values).slice(0, 60)}${clock} asks for ${ms} ms`, () => {
    assert.equal(retryAfterMs(values, date, NOW_MS), ms);
  });
}
