import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { summed } from './sums.ts';

describe('several values in one', () => {
  const cases: ReadonlyArray<readonly [what: string, values: readonly unknown[], sum: unknown]> = [
    ['numbers are added up', [1, 2, 3], 6],
    ['of texts the first stands for all', ['a', 'b'], 'a'],
    [
      'objects are added up by member',
      [
        { a: 1, b: { c: 2 } },
        { a: 3, b: { c: 4 } },
      ],
      { a: 4, b: { c: 6 } },
    ],
    ['a member that only one has is kept', [{ a: 1 }, { b: 2 }], { a: 1, b: 2 }],
    [
      'lists of things with a name are added up by name',
      [
        [{ name: 'x', n: 1 }],
        [
          { name: 'y', n: 5 },
          { name: 'x', n: 2 },
        ],
      ],
      [
        { name: 'x', n: 3 },
        { name: 'y', n: 5 },
      ],
    ],
    ['of other lists the first stands for all', [[1, 2], [3]], [1, 2]],
    ['an empty list takes what the others have', [[], [{ name: 'x', n: 1 }]], [{ name: 'x', n: 1 }]],
    ['nothing stays nothing', [null, null], null],
  ];
  for (const [what, values, sum] of cases) {
    test(what, () => assert.deepEqual(summed(values), sum));
  }
});
