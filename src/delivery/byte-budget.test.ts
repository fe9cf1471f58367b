import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../kernel/testing/manual-clock.ts';
import { ByteBudget } from './byte-budget.ts';
import { pass } from './testing/test-delivery.ts';

function budgetOf(capacityBytes: number) {
  const clock = new ManualClock();
  const ends: string[] = [];
  const budget = new ByteBudget({ capacityBytes, clock, monotonicMs: () => clock.now() });
  const wait = (name: string, bytes: number, ms: number) =>
    budget.wait(bytes, ms, (isGranted) => ends.push(`${name} ${isGranted ? 'granted' : 'refused'}`));
  return { budget, clock, ends, wait };
}

test('bytes are taken up to the last one and given back', () => {
  const { budget } = budgetOf(100);
  assert.ok(budget.tryTake(60));
  assert.ok(budget.tryTake(40));
  assert.equal(budget.tryTake(1), false);
  budget.release(40);
  assert.ok(budget.tryTake(40));
  assert.equal(budget.usedBytes, 100);
});

test('those who wait are served in their order, and nobody overtakes them', async () => {
  const { budget, ends, wait, clock } = budgetOf(1000);
  budget.tryTake(1000);
  wait('first', 200, 100);
  wait('second', 50, 100);
  budget.release(100);
  assert.deepEqual(ends, []);
  assert.equal(budget.tryTake(10), false, 'a small one must not overtake');
  budget.release(150);
  assert.deepEqual(ends, ['first granted', 'second granted']);
  assert.equal(budget.usedBytes, 1000);
  assert.equal(clock.sleeperCount, 0);
});

test('each waits as long as it may and not longer', async () => {
  const { budget, ends, wait, clock } = budgetOf(1000);
  budget.tryTake(1000);
  wait('patient', 1, 2000);
  wait('hasty', 1, 50);
  await pass(clock, 49);
  assert.deepEqual(ends, []);
  await pass(clock, 1);
  assert.deepEqual(ends, ['hasty refused']);
  await pass(clock, 1949);
  assert.deepEqual(ends, ['hasty refused']);
  await pass(clock, 1);
  assert.deepEqual(ends, ['hasty refused', 'patient refused']);
  assert.equal(clock.sleeperCount, 0);
  assert.equal(budget.usedBytes, 1000);
});

test('when a big one gives up, a smaller one behind it gets the room there is', async () => {
  const { budget, ends, wait, clock } = budgetOf(1000);
  budget.tryTake(900);
  wait('big', 150, 10);
  wait('small', 100, 1000);
  assert.deepEqual(ends, []);
  await pass(clock, 10);
  assert.deepEqual(ends, ['big refused', 'small granted']);
});

test('the line is bounded in number and in bytes', () => {
  const { budget, ends, wait } = budgetOf(8000);
  budget.tryTake(8000);
  for (let index = 0; index < 1001; index++) wait(String(index), 1, 100);
  assert.deepEqual(ends, ['1000 refused']);
  const other = budgetOf(8000);
  other.budget.tryTake(8000);
  other.wait('a', 1500, 100);
  other.wait('b', 501, 100);
  other.wait('c', 500, 100);
  assert.deepEqual(other.ends, ['b refused']);
});

test('without time to wait the answer is no at once', () => {
  const { budget, ends, wait, clock } = budgetOf(10);
  budget.tryTake(10);
  wait('nobody', 1, 0);
  assert.deepEqual(ends, ['nobody refused']);
  assert.equal(clock.sleeperCount, 0);
});

test('at the end everybody is told no, once', async () => {
  const { budget, ends, wait, clock } = budgetOf(100);
  budget.tryTake(100);
  wait('a', 1, 100);
  wait('b', 1, 100);
  budget.refuseWaiters();
  budget.release(100);
  await pass(clock, 1000);
  assert.deepEqual(ends, ['a refused', 'b refused']);
  assert.equal(budget.usedBytes, 0);
});
