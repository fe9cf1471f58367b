import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Pass, resultOf, seenPass } from './operation-result.ts';

interface Counters {
  readonly total: number;
  readonly updated: number;
  readonly noops: number;
  readonly version_conflicts: number;
}

const countersOf = (total: number, updated: number, noops: number, conflicts = 0): Counters => ({
  total,
  updated,
  noops,
  version_conflicts: conflicts,
});

/** A pass whose answer was lost: so far it was seen. */
const seen = (...counters: Parameters<typeof countersOf>) =>
  seenPass({ ...countersOf(...counters), deleted: 0, batches: 1 });
const answered = (...counters: Parameters<typeof countersOf>): Pass => ({
  ...seen(...counters),
  isSeenOnly: false,
});

const table: ReadonlyArray<[what: string, passes: readonly Pass[], expected: Counters]> = [
  ['one pass', [answered(9, 6, 3)], countersOf(9, 6, 3)],
  ['conflicts that a second pass solved', [answered(9, 4, 3, 2), answered(9, 2, 7)], countersOf(9, 6, 3)],
  ['conflicts that are left', [answered(9, 4, 3, 2), answered(9, 1, 7, 1)], countersOf(9, 5, 3, 1)],
  ['a pass that nobody saw', [seenPass(undefined), answered(9, 6, 3)], countersOf(9, 6, 3)],
  ['a pass that was seen half way', [seen(9, 2, 1), answered(9, 4, 5)], countersOf(9, 6, 3)],
  ['two of them', [seen(9, 2, 1), seen(9, 1, 4), answered(9, 3, 6)], countersOf(9, 6, 3)],
  ['nothing but what was seen', [seen(9, 2, 1)], countersOf(9, 2, 1)],
];
for (const [what, passes, expected] of table)
  it(`counters of ${what} tell of each document once`, () => {
    const { total, updated, noops, version_conflicts } = resultOf(passes)!;
    assert.deepEqual({ total, updated, noops, version_conflicts }, expected);
  });
