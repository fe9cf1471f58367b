import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { silentLog } from '../kernel/log.ts';
import { systemRandom } from '../kernel/random.ts';
import { SecretBox } from '../kernel/secret-box.ts';
import { ManualClock } from '../kernel/testing/manual-clock.ts';
import type { Store } from '../store/contract.ts';
import { openStore } from '../store/open-store.ts';
import { UnsentTransfer } from './features/unsent/unsent-transfer.ts';
import { firstStart } from './first-start.ts';
import { createManager } from './manager.ts';
import type { ManagerServices } from './services.ts';

const masterKey = randomBytes(32);

interface Process {
  readonly services: ManagerServices;
  readonly announced: readonly string[];
  start(adminPassword?: string): Promise<void>;
}

/** Processes of one installation: each has a connection of its own to the same database. */
async function withProcesses(count: number, body: (...processes: Process[]) => Promise<void>): Promise<void> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'first-start-'));
  const stores: Store[] = [];
  const clock = {
    now: () => Date.now(),
    sleep: (ms: number) => new Promise<void>((go) => setTimeout(go, ms / 10)),
  };
  const processes: Process[] = [];
  for (let index = 0; index < count; index++) {
    const store = await openStore({ dataFolder, clock });
    stores.push(store);
    const callPod = () => Promise.reject(new Error('there are no pods'));
    const unsentRecords = { append: callPod };
    const log = silentLog;
    const index = { url: 'http://127.0.0.1:1' };
    const unsentTransfer = new UnsentTransfer({ dataFolder, index, clock, log });
    const options = { store, clock, random: systemRandom, log, callPod, unsentRecords, unsentTransfer };
    const { services } = createManager({ ...options, secretBox: new SecretBox(masterKey) });
    const announced: string[] = [];
    const announce = (line: string) => void announced.push(line);
    const start = (adminPassword?: string) => firstStart(services, { adminPassword, announce });
    processes.push({ services, announced, start });
  }
  try {
    await body(...processes);
  } finally {
    for (const store of stores) await store.close();
    await rm(dataFolder, { recursive: true });
  }
}

/** Everything the first start makes. */
async function inventory({ environments, projects, users }: ManagerServices): Promise<string[][]> {
  const names = (documents: ReadonlyArray<{ value: { name: string } }>) =>
    documents.map(({ value }) => value.name);
  return [
    names(await environments.all()),
    names((await projects.page({})).documents),
    names((await users.page({})).documents),
  ];
}

const MADE = [['Development', 'Production', 'Test'], ['Default'], ['admin']];

test('a given password is used and told to nobody', () =>
  withProcesses(1, async ({ services, announced, start }) => {
    await start('from the environment');
    assert.deepEqual(await inventory(services), MADE);
    assert.deepEqual(announced, []);
    const { value } = await services.users.require('admin');
    assert.deepEqual(value.roles, [{ role: 'admin' }]);
    assert.equal(value.isEnabled, true);
  }));

test('a password that is not given is generated and told once', () =>
  withProcesses(2, async (first, second) => {
    await first.start();
    assert.match(first.announced[0]!, /^administrator admin, password [\w-]{24}$/);
    await first.start();
    await second.start();
    assert.equal(first.announced.length, 2);
    assert.deepEqual(second.announced, []);
  }));

test('a later start brings nothing back that was deleted or changed', () =>
  withProcesses(1, async ({ services, start }) => {
    await start('from the environment');
    const before = (await services.users.require('admin')).value.passwordHash;
    await services.environments.remove('Test', undefined);
    await services.projects.remove('Default', undefined, []);
    await start('another password');
    assert.deepEqual(await inventory(services), [['Development', 'Production'], [], ['admin']]);
    assert.equal((await services.users.require('admin')).value.passwordHash, before);
  }));

test('of processes that start at once one makes everything, and all find it made', () =>
  withProcesses(4, async (...processes) => {
    await Promise.all(
      processes.map(async ({ services, start }) => {
        await start();
        assert.deepEqual(await inventory(services), MADE);
      }),
    );
    assert.equal(processes.filter(({ announced }) => announced.length > 0).length, 1);
  }));

test('what a process left undone that died on the way, the next one does', () =>
  withProcesses(2, async (dying, next) => {
    const { promise: dead, resolve: die } = Promise.withResolvers<void>();
    const find = () => {
      die();
      return new Promise<never>(() => {});
    };
    const services = { ...dying.services, users: { find } } as unknown as ManagerServices;
    void firstStart(services, { adminPassword: undefined, announce: () => {} });
    await dead;
    assert.deepEqual(await inventory(next.services), [MADE[0], MADE[1], []]);
    const later = new ManualClock(Date.now() + 60_000);
    const announced: string[] = [];
    await firstStart(
      { ...next.services, clock: later },
      { adminPassword: undefined, announce: (line) => void announced.push(line) },
    );
    assert.deepEqual(await inventory(next.services), MADE);
    assert.equal(announced.length, 2);
  }));

test('a password that is too short is refused before anything is written', () =>
  withProcesses(1, async ({ services, start }) => {
    await assert.rejects(start('short'), /GATEHOUSE_ADMIN_PASSWORD must have 8 to 256 characters/);
    assert.deepEqual(await inventory(services), [[], [], []]);
    await start('long enough');
    assert.deepEqual(await inventory(services), MADE);
  }));
