import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { silentLog } from '../kernel/log.ts';
import { ManualClock } from '../kernel/testing/manual-clock.ts';
import { openStore } from '../store/open-store.ts';
import { PodRegistry } from '../store/pods.ts';
import { registerPod } from './pod-registration.ts';

const dataFolder = mkdtempSync(join(tmpdir(), 'gatehouse-pods-'));
after(() => rmSync(dataFolder, { recursive: true }));
const pod = { podName: 'w-1', module: 'worker', address: 'http://127.0.0.1:1', processId: 1 };

test('a pod is in the registry until it is taken out', async () => {
  const clock = new ManualClock();
  const store = await openStore({ dataFolder });
  const registry = new PodRegistry(store, clock);
  const remove = await registerPod(registry, pod, silentLog);
  assert.deepEqual(
    (await registry.live('worker')).map(({ podName }) => podName),
    ['w-1'],
  );
  await remove();
  assert.deepEqual(await registry.live('worker'), []);
  await store.close();
});

test('a database that is away does not keep a pod from stopping', async () => {
  const store = await openStore({ dataFolder });
  const remove = await registerPod(new PodRegistry(store, new ManualClock()), pod, silentLog);
  await store.close();
  await remove();
});
