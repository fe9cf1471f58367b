import assert from 'node:assert/strict';
import test from 'node:test';
import type { BodyWriter } from '../../http1/exchange.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { TestbedCall } from '../endpoint.ts';
import { drip } from './streaming.ts';

/** A clock that stands still until somebody sleeps, and what was written at which time. */
function stage(lateByMs = 0) {
  let nowMs = 0;
  const writes: [atMs: number, text: string][] = [];
  const clock: Clock = {
    now: () => nowMs,
    sleep: async (ms) => {
      nowMs += ms + lateByMs;
    },
  };
  const out = { write: async (chunk: string) => void writes.push([nowMs, chunk]) } as unknown as BodyWriter;
  const call = { services: { clock }, exchange: {} } as unknown as TestbedCall;
  return { writes, out, call, now: () => nowMs };
}

const stars = (_: number, count: number) => '*'.repeat(count);

test('pieces come evenly, the first at once, and the end comes with the duration', async () => {
  const { out, call, writes, now } = stage();
  await drip(out, { count: 4, durationMs: 100, piece: stars }, call);
  assert.deepEqual(writes, [
    [0, '*'],
    [25, '*'],
    [50, '*'],
    [75, '*'],
  ]);
  assert.equal(now(), 100);
});

test('without a duration everything leaves at once', async () => {
  const { out, call, writes } = stage();
  await drip(out, { count: 1000, durationMs: 0, piece: stars }, call);
  assert.deepEqual(writes, [[0, '*'.repeat(1000)]]);
});

test('a late timer is caught up with, so the duration holds', async () => {
  const { out, call, writes } = stage(30);
  await drip(out, { count: 10, durationMs: 100, piece: stars }, call);
  assert.equal(writes.map(([, text]) => text).join(''), '*'.repeat(10));
  assert.ok(writes.length < 10);
  assert.ok(writes.at(-1)![0] <= 130);
});

test('a million pieces need no million timers', async () => {
  const { out, call, writes } = stage();
  await drip(out, { count: 1_000_000, durationMs: 50, piece: stars }, call);
  assert.ok(writes.length <= 60);
  assert.equal(
    writes.reduce((sum, [, text]) => sum + text.length, 0),
    1_000_000,
  );
});
