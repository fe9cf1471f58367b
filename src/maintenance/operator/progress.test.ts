import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManualClock } from '../../kernel/testing/manual-clock.ts';
import { bytesText, countText, durationText } from './figures.ts';
import type { OperatorConsole } from './operator-console.ts';
import { Progress } from './progress.ts';

function shown(isTerminal: boolean, act: (progress: Progress, clock: ManualClock) => void): string {
  let text = '';
  const console: OperatorConsole = {
    out: () => assert.fail('progress is no result'),
    err: (more) => {
      text += more;
    },
    canAsk: false,
    isTerminal,
    hasColour: false,
    ask: () => assert.fail('progress asks nothing'),
  };
  const clock = new ManualClock();
  act(new Progress(console, clock, 'update'), clock);
  return text;
}

describe('progress', () => {
  it('is a line now and then where lines are kept, with rate and time left', () => {
    const text = shown(false, (progress, clock) => {
      for (const done of [0, 1000, 2000, 3000, 4000, 5000, 6000]) {
        progress.show(done, 100_000);
        clock.advance(1000);
      }
      progress.clear();
    });
    assert.equal(text, 'update: 0 of 100,000 (0 %)\nupdate: 5,000 of 100,000 (5 %), 1,000/s, 1m 35s left\n');
  });

  it('is a bar that is drawn again on a terminal, and goes without a trace', () => {
    const text = shown(true, (progress, clock) => {
      progress.show(0, 4);
      clock.advance(1000);
      progress.show(2, 4);
      progress.clear();
      progress.clear();
    });
    assert.deepEqual(text.split('\r\u001b[K'), [
      '',
      `[${'-'.repeat(30)}] 0 of 4 (0 %)`,
      `[${'#'.repeat(15)}${'-'.repeat(15)}] 2 of 4 (50 %), 2/s, 1s left`,
      '',
    ]);
  });

  it('counts its rate from where it began to watch', () => {
    const text = shown(true, (progress, clock) => {
      progress.show(900, 1000);
      clock.advance(10_000);
      progress.show(950, 1000);
    });
    assert.match(text, /950 of 1,000 \(95 %\), 5\/s, 10s left$/);
  });

  it('never says more than all', () => {
    assert.match(
      shown(true, (progress) => progress.show(12, 10)),
      /\[#{30}\] 12 of 10 \(100 %\)$/,
    );
    assert.match(
      shown(true, (progress) => progress.show(0, 0)),
      /\(0 %\)$/,
    );
  });
});

describe('figures', () => {
  it('are told in the unit that fits', () => {
    assert.deepEqual([0, 1023, 1536, 5 * 2 ** 30].map(bytesText), [
      '0 bytes',
      '1023 bytes',
      '1.5 KiB',
      '5.0 GiB',
    ]);
    assert.deepEqual([0, 59_400, 61_000, 7_800_000].map(durationText), ['0s', '59s', '1m 01s', '2h 10m']);
    assert.equal(countText(1_234_567), '1,234,567');
  });
});
