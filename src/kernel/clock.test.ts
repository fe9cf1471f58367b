import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from './clock.ts';

test('sleep lasts as long as asked, and ends at once when its signal aborts', async () => {
  const startedAtMs = performance.now();
  await systemClock.sleep(20);
  assert.ok(performance.now() - startedAtMs >= 19);
  const reason = new Error('left');
  await assert.rejects(systemClock.sleep(60_000, AbortSignal.abort(reason)), reason);
  const controller = new AbortController();
  const sleeping = systemClock.sleep(60_000, controller.signal);
  controller.abort(reason);
  await assert.rejects(sleeping, reason);
});

test('many who wake at the same moment leave room for others in between', async () => {
  let woken = 0;
  const all = Promise.all(
    Array.from({ length: 200 }, async () => {
      await systemClock.sleep(10);
      woken++;
    }),
  );
  const seen = new Set<number>();
  while (woken < 200) {
    await new Promise((resolve) => setImmediate(resolve));
    seen.add(woken);
  }
  await all;
  assert.ok(seen.size > 5, `others had ${seen.size} turns`);
});
