import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ManualClock } from '../../kernel/testing/manual-clock.ts';
import { HealthSwitches } from './health-switches.ts';

describe('HealthSwitches', () => {
  test('are up until turned, each for itself', () => {
    const switches = new HealthSwitches(new ManualClock());
    switches.turn('a', false);
    assert.deepEqual([switches.isUp('a'), switches.isUp('b')], [false, true]);
    switches.turn('a', true);
    assert.equal(switches.isUp('a'), true);
  });
});
