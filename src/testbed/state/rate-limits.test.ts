import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ManualClock } from '../../kernel/testing/manual-clock.ts';
import { type RateLimitAlgorithm, RateLimits, rateLimitAlgorithms } from './rate-limits.ts';

function limitsOf(algorithm: RateLimitAlgorithm, limit = 3, windowMs = 9000) {
  const clock = new ManualClock();
  const limits = new RateLimits(clock);
  const rule = { algorithm, limit, windowMs };
  return { clock, limits, rule, take: () => limits.take('key', rule) };
}

for (const algorithm of rateLimitAlgorithms) {
  describe(`the ${algorithm} rate limit`, () => {
    test('allows exactly the limit at once and then refuses', () => {
      const { take } = limitsOf(algorithm);
      const verdicts = [take(), take(), take(), take(), take()];
      assert.deepEqual(
        verdicts.map(({ isAllowed, remaining }) => [isAllowed, remaining]),
        [
          [true, 2],
          [true, 1],
          [true, 0],
          [false, 0],
          [false, 0],
        ],
      );
    });

    test('allows a request again after the time it names, and not a moment before', () => {
      const { clock, take } = limitsOf(algorithm);
      for (let count = 0; count < 3; count++) take();
      const { retryInMs } = take();
      clock.advance(retryInMs - 1);
      assert.equal(take().isAllowed, false);
      clock.advance(1);
      assert.equal(take().isAllowed, true);
    });

    test('is whole again after the reset time', () => {
      const { clock, limits, rule, take } = limitsOf(algorithm);
      take();
      clock.advance(1000);
      clock.advance(take().resetInMs);
      assert.deepEqual(limits.look('key', rule), {
        isAllowed: true,
        remaining: 3,
        resetInMs: 0,
        retryInMs: 0,
        count: 0,
      });
    });

    test('looking spends nothing', () => {
      const { limits, rule, take } = limitsOf(algorithm);
      take();
      for (let count = 0; count < 10; count++) limits.look('key', rule);
      assert.equal(take().remaining, 1);
    });

    test('keys and rules have quotas of their own, and a reset makes one new', () => {
      const { limits, rule } = limitsOf(algorithm, 1);
      assert.equal(limits.take('a', rule).isAllowed, true);
      assert.equal(limits.take('b', rule).isAllowed, true);
      assert.equal(limits.take('a', { ...rule, limit: 2 }).isAllowed, true);
      assert.equal(limits.take('a', rule).isAllowed, false);
      assert.equal(limits.reset('a', rule), true);
      assert.equal(limits.reset('a', rule), false);
      assert.equal(limits.take('a', rule).isAllowed, true);
    });
  });
}

describe('where the algorithms differ', () => {
  test('a fixed window may give twice the limit around its end; a sliding one never does', () => {
    const allowedAroundTheEnd = (algorithm: RateLimitAlgorithm) => {
      const { clock, take } = limitsOf(algorithm);
      take();
      clock.advance(8999);
      const before = [take(), take()];
      clock.advance(1);
      return [...before, take(), take(), take()].filter(({ isAllowed }) => isAllowed).length;
    };
    assert.equal(allowedAroundTheEnd('fixed'), 5);
    assert.equal(allowedAroundTheEnd('sliding'), 3);
  });

  test('a bucket gives one token for each part of the window', () => {
    const { clock, take } = limitsOf('bucket');
    for (let count = 0; count < 3; count++) take();
    clock.advance(3000);
    assert.deepEqual([take().isAllowed, take().isAllowed], [true, false]);
  });
});
