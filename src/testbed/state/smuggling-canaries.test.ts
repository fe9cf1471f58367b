import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ManualClock } from '../../kernel/testing/manual-clock.ts';
import { SmugglingCanaries } from './smuggling-canaries.ts';

describe('SmugglingCanaries', () => {
  test('keep a bounded number of arrivals per id and part', () => {
    const canaries = new SmugglingCanaries(new ManualClock());
    const arrival = {
      ...{ part: 'outer' as const, method: 'POST', target: '/', connectionId: '1', requestNo: 1 },
      ...{ framing: 'length', bodyLength: 0, isHiddenInBody: false, upgrade: null },
    };
    for (let count = 0; count < 60; count++) canaries.record('a', arrival);
    assert.equal(canaries.arrivals('a').length, 50);
    canaries.record('a', { ...arrival, part: 'hidden' });
    assert.equal(canaries.arrivals('a').at(-1)?.part, 'hidden');
    assert.deepEqual(canaries.arrivals('b'), []);
  });
});
