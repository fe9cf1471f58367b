import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ProcessProbe } from './process-probe.ts';

function started() {
  const probe = new ProcessProbe();
  probe.start();
  return { probe, [Symbol.dispose]: () => probe.stop() };
}

test('counts collections by kind, with their time', async () => {
  using running = started();
  setFlagsFromString('--expose-gc');
  const collect: (options: object) => void = runInNewContext('gc');
  const countOf = (kind: string) =>
    running.probe.collections().find(({ name }) => name === kind)?.collectionCount ?? 0;
  const [major, minor] = [countOf('major'), countOf('minor')];
  for (let round = 0; round < 3; round++) collect({ type: 'major', execution: 'sync' });
  for (let round = 0; round < 2; round++) collect({ type: 'minor', execution: 'sync' });
  await sleep(20);
  assert.ok(countOf('major') >= major + 3);
  assert.ok(countOf('minor') >= minor + 2);
  const { collectionTime } = running.probe.collections().find(({ name }) => name === 'major')!;
  assert.ok(collectionTime >= 1);
});

test('sees how late the event loop was, without the time between two looks', async () => {
  using running = started();
  await sleep(100);
  const end = performance.now() + 300;
  while (performance.now() < end);
  await sleep(100);
  const { p50, max } = running.probe.eventLoopDelay();
  assert.ok(max >= 250, `max ${max}`);
  assert.ok(p50 < 100, `p50 ${p50}`);
});

test('knows no delay before it has looked', () => {
  assert.deepEqual(new ProcessProbe().eventLoopDelay(), { mean: 0, p50: 0, p99: 0, max: 0 });
});
