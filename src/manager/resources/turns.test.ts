import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { systemRandom } from '../../kernel/random.ts';
import { openStore } from '../../store/open-store.ts';
import { Turns } from './turns.ts';

/** Two processes on one database. */
async function twoProcesses(clock: Clock = systemClock) {
  const dataFolder = await mkdtemp(join(tmpdir(), 'turns-'));
  const stores = [await openStore({ dataFolder }), await openStore({ dataFolder })];
  const [one, other] = stores.map((store) => new Turns({ store, clock, random: systemRandom }));
  const close = async () => {
    for (const store of stores) await store.close();
    await rm(dataFolder, { recursive: true, force: true });
  };
  return { one: one!, other: other!, [Symbol.asyncDispose]: close };
}

test('only one works at a time, within a process and across processes', async () => {
  await using processes = await twoProcesses();
  let running = 0;
  let most = 0;
  const work = async () => {
    most = Math.max(most, ++running);
    await systemClock.sleep(2);
    running--;
  };
  const { one, other } = processes;
  await Promise.all([one, other, one, other, one].map((turns) => turns.take('it', work)));
  assert.equal(most, 1);
});

test('work that fails gives its turn on', async () => {
  await using processes = await twoProcesses();
  await assert.rejects(
    processes.one.take('it', () => Promise.reject(new Error('broken'))),
    /broken/,
  );
  assert.equal(await processes.one.take('it', async () => 'here'), 'here');
  assert.equal(await processes.other.take('it', async () => 'there'), 'there');
});

test('a turn whose process died comes to an end', async () => {
  let now = 0;
  const clock = {
    now: () => now,
    sleep: async (ms: number) => {
      now += ms * 50;
    },
  };
  await using processes = await twoProcesses(clock);
  const dead = new Promise<never>(() => {});
  await new Promise<void>((begun) => {
    void processes.one.take('it', () => {
      begun();
      return dead;
    });
  });
  assert.equal(await processes.other.take('it', async () => 'next'), 'next');
  assert.ok(now >= 10_000);
});
