import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ManualClock } from '../kernel/testing/manual-clock.ts';
import { type Store, StoreUnavailable } from './contract.ts';
import { openStore } from './open-store.ts';
import { PodRegistry } from './pods.ts';

const worker = {
  podName: 'worker-1',
  module: 'worker',
  environmentId: 'e1',
  address: 'http://127.0.0.1:8091',
  processId: 17,
};

describe('the registry of pods', () => {
  let dataFolder: string;
  let stores: readonly Store[];
  let clock: ManualClock;
  /** Two processes that look at the same database. */
  let mine: PodRegistry;
  let others: PodRegistry;

  beforeEach(async () => {
    dataFolder = mkdtempSync(join(tmpdir(), 'gatehouse-pods-'));
    clock = new ManualClock();
    stores = [await openStore({ dataFolder }), await openStore({ dataFolder })];
    [mine, others] = stores.map((store) => new PodRegistry(store, clock)) as [PodRegistry, PodRegistry];
  });
  afterEach(async () => {
    await Promise.all(stores.map((store) => store.close()));
    rmSync(dataFolder, { recursive: true });
  });

  const names = async (registry: PodRegistry, module = 'worker', environmentId?: string) =>
    (await registry.live(module, environmentId)).map(({ podName }) => podName);

  it('shows the others a pod with all they need to reach it', async () => {
    const registration = await mine.register(worker);
    assert.deepEqual(await others.live('worker', 'e1'), [
      { ...worker, startedAtMs: clock.now(), heartbeatAtMs: clock.now() },
    ]);
    await registration.stop();
  });

  it('tells modules and environments apart', async () => {
    const registrations = await Promise.all([
      mine.register(worker),
      others.register({ ...worker, podName: 'worker-2', environmentId: 'e2' }),
      mine.register({ ...worker, module: 'cache' }),
      mine.register({ podName: 'm', module: 'manager', address: 'http://127.0.0.1:8090', processId: 1 }),
    ]);
    assert.deepEqual(await names(others, 'worker', 'e1'), ['worker-1']);
    assert.deepEqual(await names(others, 'worker'), ['worker-1', 'worker-2']);
    assert.deepEqual(await names(others, 'cache', 'e1'), ['worker-1']);
    assert.deepEqual(await names(others, 'manager'), ['m']);
    assert.deepEqual(await names(others, 'manager', 'e1'), []);
    await Promise.all(registrations.map((registration) => registration.stop()));
    assert.deepEqual(await names(others), []);
  });

  it('keeps a pod alive by its heartbeat', async () => {
    const registration = await mine.register(worker);
    for (let beat = 0; beat < 5; beat++) {
      await advance(5_000);
      assert.equal((await others.live('worker'))[0]?.heartbeatAtMs, clock.now());
    }
    await registration.stop();
  });

  it('counts a pod as gone when it says nothing for 15 seconds, and forgets it', async () => {
    const silent = new PodRegistry(stores[0]!, clock, { heartbeatMs: 1_000_000 });
    const registration = await silent.register(worker);
    clock.advance(14_999);
    assert.deepEqual(await names(others), ['worker-1']);
    assert.equal(await others.removeExpired(), 0);
    clock.advance(1);
    assert.deepEqual(await names(others), []);
    assert.equal(await others.removeExpired(), 1);
    await registration.stop();
  });

  it('sees a pod again that was taken for dead', async () => {
    const slow = new PodRegistry(stores[0]!, clock, { heartbeatMs: 20_000 });
    const registration = await slow.register(worker);
    const startedAtMs = clock.now();
    clock.advance(19_999);
    assert.equal(await others.removeExpired(), 1);
    await advance(1);
    assert.deepEqual(await others.live('worker'), [{ ...worker, startedAtMs, heartbeatAtMs: clock.now() }]);
    await registration.stop();
    assert.deepEqual(await names(others), []);
  });

  it('gives the name to a pod that came back under it, and tells the old one', async () => {
    let isReplaced = false;
    const old = await mine.register(worker, {
      onReplaced: () => {
        isReplaced = true;
      },
    });
    const back = await others.register({ ...worker, processId: 18, address: 'http://127.0.0.1:9999' });
    clock.advance(5_000);
    while (!isReplaced) await nextTurn();
    await old.stop();
    const [pod] = await mine.live('worker');
    assert.deepEqual([pod?.processId, pod?.address], [18, 'http://127.0.0.1:9999']);
    await back.stop();
    assert.deepEqual(await names(mine), []);
  });

  it('gives a name that many want at once to one of them', async () => {
    const registrations = await Promise.all(
      Array.from({ length: 10 }, (_, processId) =>
        (processId % 2 ? mine : others).register({ ...worker, processId }),
      ),
    );
    assert.deepEqual(await names(mine), ['worker-1']);
    await Promise.all(registrations.map((registration) => registration.stop()));
    assert.deepEqual(await names(mine), []);
  });

  it('goes on beating when the database was away', async () => {
    const failures: unknown[] = [];
    const registration = await mine.register(worker, { onFailure: (error) => failures.push(error) });
    await stores[0]!.close();
    await advance(5_000);
    await advance(5_000);
    assert.equal(failures.length, 2);
    assert.ok(failures.every((failure) => failure instanceof StoreUnavailable));
    await assert.rejects(registration.stop(), StoreUnavailable);
  });

  /** Moves the time and lets the heartbeats that are due be written: behind each a pod waits for the next one. */
  async function advance(ms: number): Promise<void> {
    const beating = clock.sleeperCount;
    clock.advance(ms);
    while (clock.sleeperCount < beating) await nextTurn();
  }
});
