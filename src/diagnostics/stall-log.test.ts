import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { silentLog } from '../kernel/log.ts';
import { ManualClock } from '../kernel/testing/manual-clock.ts';
import { StallLog } from './stall-log.ts';

const EPOCH = '2026-04-01T12:00:00.000Z';

/** A log whose ticks the test makes itself, each so late. */
function setUp() {
  const clock = new ManualClock(Date.parse(EPOCH));
  const warned: object[] = [];
  const log = { ...silentLog, warn: (fields: object) => void warned.push(fields) } as typeof silentLog;
  const stalls = new StallLog({ clock, log, thresholdMs: 100, tickMs: 50 });
  let nowMs = 0;
  const tickAfter = (ms: number) => {
    nowMs += ms;
    clock.advance(ms);
    stalls.tick(nowMs);
  };
  return { stalls, warned, tickAfter };
}

describe('the log of stalls', () => {
  test('holds nothing while the loop turns in time', () => {
    const { stalls, tickAfter } = setUp();
    for (let tick = 0; tick < 50; tick++) tickAfter(tick % 2 === 0 ? 50 : 149);
    assert.deepEqual([stalls.count, stalls.latest()], [0, []]);
  });

  test('says when a stall began and how long it took', () => {
    const { stalls, tickAfter } = setUp();
    tickAfter(50);
    tickAfter(350);
    assert.deepEqual(stalls.latest(), [{ time: '2026-04-01T12:00:00.100Z', durationMs: 300 }]);
  });

  test('keeps the latest 100, the newest first, and counts all', () => {
    const { stalls, tickAfter } = setUp();
    for (let number = 0; number < 150; number++) tickAfter(200 + number);
    const latest = stalls.latest();
    assert.deepEqual([stalls.count, latest.length], [150, 100]);
    assert.deepEqual([latest[0]?.durationMs, latest[99]?.durationMs], [299, 200]);
  });

  for (const order of ['before', 'after']) {
    test(`joins the stack that the other thread saw, told ${order} the stall was noticed`, () => {
      const { stalls, tickAfter } = setUp();
      tickAfter(50);
      const tick = stalls.ticks[0]!;
      if (order === 'before') stalls.explain(tick, ['at spin']);
      tickAfter(500);
      if (order === 'after') stalls.explain(tick, ['at spin']);
      tickAfter(500);
      assert.deepEqual(
        stalls.latest().map(({ stackTrace }) => stackTrace),
        [undefined, ['at spin']],
      );
    });
  }

  test('writes long ones into the log', () => {
    const { warned, tickAfter } = setUp();
    tickAfter(1049);
    assert.deepEqual(warned, []);
    tickAfter(1050);
    assert.deepEqual(warned, [{ event: 'event-loop.stalled', durationMs: 1000 }]);
  });
});
