import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../kernel/testing/manual-clock.ts';
import { RetrySchedule, retryDelayMs } from './retry-schedule.ts';
import { pass } from './testing/test-delivery.ts';

const settings = { maxCount: 10, backoffMs: 200, maxRetryAfterMs: 5_000, mayRepeat: false };

for (const { name, retry, askedMs, random, ms } of [
  { name: 'the first waits at most the backoff', retry: 1, random: 1, ms: 200 },
  { name: 'and at least half of it', retry: 1, random: 0, ms: 100 },
  { name: 'the second waits twice as long', retry: 2, random: 1, ms: 400 },
  { name: 'doubling ends at 30 s', retry: 50, random: 1, ms: 30_000 },
  { name: 'a server that asks for more gets it', retry: 1, askedMs: 3_000, random: 1, ms: 3_000 },
  { name: 'up to the cap', retry: 1, askedMs: 60_000, random: 1, ms: 5_000 },
  { name: 'for ever is up to the cap', retry: 1, askedMs: Number.POSITIVE_INFINITY, random: 1, ms: 5_000 },
  { name: 'one that asks for less does not shorten the backoff', retry: 1, askedMs: 0, random: 1, ms: 200 },
]) {
  test(`delay before a retry: ${name}`, () => {
    assert.equal(
      retryDelayMs(settings, retry, askedMs, () => random),
      ms,
    );
  });
}

test('a cap of zero leaves the backoff, and a longer backoff than 30 s is kept', () => {
  assert.equal(
    retryDelayMs({ ...settings, maxRetryAfterMs: 0 }, 1, 9_000, () => 1),
    200,
  );
  assert.equal(
    retryDelayMs({ ...settings, backoffMs: 60_000 }, 3, undefined, () => 1),
    60_000,
  );
});

test('items are due in the order of their times, however they were added, with one timer', async () => {
  const clock = new ManualClock();
  const due: number[] = [];
  const schedule = new RetrySchedule<number>(
    clock,
    () => clock.now(),
    (item) => due.push(item),
  );
  const delays = Array.from({ length: 200 }, (_, index) => (index * 7919) % 200);
  for (const delay of delays) schedule.add(delay, delay);
  assert.equal(schedule.length, 200);
  assert.equal(clock.sleeperCount, 1);
  await pass(clock, 100, 1);
  assert.deepEqual(due, [...Array(101).keys()]);
  await pass(clock, 100, 1);
  assert.deepEqual(due, [...Array(200).keys()]);
  assert.equal(clock.sleeperCount, 0);
});

test('taking everything out ends the waits', async () => {
  const clock = new ManualClock();
  const due: string[] = [];
  const schedule = new RetrySchedule<string>(
    clock,
    () => clock.now(),
    (item) => due.push(item),
  );
  schedule.add('later', 200);
  schedule.add('sooner', 100);
  assert.deepEqual(schedule.takeAll().sort(), ['later', 'sooner']);
  await pass(clock, 1000);
  assert.deepEqual(due, []);
  assert.equal(clock.sleeperCount, 0);
});
