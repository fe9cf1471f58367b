import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ManualClock } from '../../kernel/testing/manual-clock.ts';
import { Attempts } from './attempts.ts';

const from = { method: 'GET', connectionId: '1', requestNo: 1 };

describe('Attempts', () => {
  test('counts per key and remembers when the first one came', () => {
    const clock = new ManualClock();
    const attempts = new Attempts(clock);
    const startedAtMs = clock.now();
    attempts.record('a', from);
    clock.advance(500);
    const tally = attempts.record('a', { ...from, method: 'PUT' });
    assert.equal(tally.count, 2);
    assert.equal(tally.firstAtMs, startedAtMs);
    assert.deepEqual(
      tally.arrivals.map(({ method, atMs }) => [method, atMs - startedAtMs]),
      [
        ['GET', 0],
        ['PUT', 500],
      ],
    );
    assert.equal(attempts.tally('b'), undefined);
  });

  test('counts on when it no longer keeps every arrival', () => {
    const attempts = new Attempts(new ManualClock());
    for (let count = 0; count < 250; count++) attempts.record('a', { ...from, requestNo: count });
    const tally = attempts.tally('a');
    assert.equal(tally?.count, 250);
    assert.equal(tally?.arrivals.length, 100);
    assert.equal(tally?.arrivals.at(-1)?.requestNo, 249);
  });

  test('forgets when told to, and by itself after an hour', () => {
    const clock = new ManualClock();
    const attempts = new Attempts(clock);
    attempts.record('a', from);
    attempts.record('b', from);
    assert.equal(attempts.forget('a'), true);
    assert.equal(attempts.tally('a'), undefined);
    clock.advance(60 * 60_000);
    assert.equal(attempts.tally('b'), undefined);
  });
});
