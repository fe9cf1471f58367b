import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { silentLog } from '../kernel/log.ts';
import { UsageError } from '../kernel/options.ts';
import { ManualClock } from '../kernel/testing/manual-clock.ts';
import { type Installation, installationCollection } from '../model/installation.ts';
import type { Store } from '../store/contract.ts';
import { openStore } from '../store/open-store.ts';
import { awaitEnvironment } from './await-environment.ts';
import { addEnvironment } from './testing/add-environment.ts';

const WAIT_MS = 10_000;
let dataFolder: string;
let store: Store;
let clock: ManualClock;
let logged: object[];

beforeEach(async () => {
  dataFolder = mkdtempSync(join(tmpdir(), 'gatehouse-environments-'));
  store = await openStore({ dataFolder });
  clock = new ManualClock();
  logged = [];
});
afterEach(async () => {
  await store.close();
  rmSync(dataFolder, { recursive: true });
});

const install = (isMade: boolean) =>
  store
    .collection<Installation>(installationCollection)
    .insert({ name: 'installation', isMade, claimedUntil: 0 });

const find = (environmentWait?: number) => {
  const log = { ...silentLog, warn: (fields: object) => void logged.push(fields) };
  const options = { environment: 'Test', ...(environmentWait !== undefined && { environmentWait }) };
  return awaitEnvironment({ store, clock, log }, options);
};

async function untilAsleep(): Promise<void> {
  while (clock.sleeperCount === 0) await nextTurn();
}

const unknown = (error: unknown) => error instanceof UsageError && /^environment 'Test'/.test(error.message);

describe('a pod that waits for its environment', () => {
  test('finds it when the first start of a Manager has made it, and says once that it waits', async () => {
    const found = find(WAIT_MS);
    await untilAsleep();
    await install(false);
    await addEnvironment(store, 'Development');
    clock.advance(WAIT_MS / 2);
    await untilAsleep();
    const { id } = await addEnvironment(store, 'Test');
    clock.advance(WAIT_MS / 4);
    assert.equal((await found).id, id);
    assert.deepEqual(logged, [{ event: 'environment.awaited', environment: 'Test', waitMs: WAIT_MS }]);
  });

  test('gives up when its time is over', async () => {
    const found = find(WAIT_MS);
    found.catch(() => {});
    await untilAsleep();
    clock.advance(WAIT_MS);
    await assert.rejects(found, unknown);
  });

  test('does not wait once the platform is made, nor when it has no time', async () => {
    await assert.rejects(find(), unknown);
    await install(true);
    await assert.rejects(find(WAIT_MS), unknown);
    assert.deepEqual([clock.sleeperCount, logged], [0, []]);
  });
});
