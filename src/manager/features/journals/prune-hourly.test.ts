import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '../../../kernel/log.ts';
import { ManualClock } from '../../../kernel/testing/manual-clock.ts';
import { pruneHourly } from './prune-hourly.ts';

const HOUR_MS = 3_600_000;
const turns = async () => {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
};

test('journals are looked through every hour, whatever went wrong the hour before, until the end', async () => {
  const clock = new ManualClock();
  const stopping = new AbortController();
  let prunes = 0;
  const pruneAll = async () => {
    if (++prunes === 1) throw new Error('the database is away');
  };
  const done = pruneHourly({ pruneAll }, { clock, log: silentLog, signal: stopping.signal });
  clock.advance(HOUR_MS - 1);
  await turns();
  assert.equal(prunes, 0);
  clock.advance(1);
  await turns();
  clock.advance(HOUR_MS);
  await turns();
  assert.equal(prunes, 2);
  stopping.abort();
  await done;
  assert.equal(clock.sleeperCount, 0);
});
