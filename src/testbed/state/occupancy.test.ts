import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ManualClock } from '../../kernel/testing/manual-clock.ts';
import { Occupancy } from './occupancy.ts';

describe('Occupancy', () => {
  test('admits up to the limit and again when somebody left', () => {
    const occupancy = new Occupancy(new ManualClock());
    assert.deepEqual(occupancy.enter('a', 's1', 2, 1000), { isAdmitted: true, inside: 1 });
    assert.deepEqual(occupancy.enter('a', 's2', 2, 1000), { isAdmitted: true, inside: 2 });
    assert.deepEqual(occupancy.enter('a', 's3', 2, 1000), { isAdmitted: false, inside: 2 });
    assert.equal(occupancy.enter('b', 's3', 2, 1000).isAdmitted, true);
    occupancy.leave('a', 's1');
    assert.equal(occupancy.enter('a', 's3', 2, 1000).isAdmitted, true);
  });

  test('frees a seat that was never given back', () => {
    const clock = new ManualClock();
    const occupancy = new Occupancy(clock);
    occupancy.enter('a', 's1', 1, 1000);
    clock.advance(1000);
    assert.deepEqual(occupancy.enter('a', 's2', 1, 1000), { isAdmitted: true, inside: 1 });
  });
});
