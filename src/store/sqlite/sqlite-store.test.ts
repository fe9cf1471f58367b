import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { describeStore, type Engine } from '../contract.suite.ts';
import { type Collection, StoreUnavailable } from '../contract.ts';
import { openStore } from '../open-store.ts';

describeStore('SQLite', async (): Promise<Engine> => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'gatehouse-store-'));
  let intruder: DatabaseSync | undefined;
  return {
    open: (deadlineMs) => openStore({ dataFolder, deadlineMs }),
    takeAway: async () => {
      intruder = new DatabaseSync(join(dataFolder, 'platform.db'));
      intruder.exec('BEGIN EXCLUSIVE');
    },
    bringBack: async () => intruder?.close(),
    stop: async () => rmSync(dataFolder, { recursive: true }),
  };
});

describe('the file of the platform database', () => {
  it('can be read by its owner alone, with all that SQLite puts beside it', async (test) => {
    const dataFolder = join(emptyFolder(test), 'new', 'data');
    const store = await openStore({ dataFolder });
    await store.collection({ name: 'a', unique: [], indexed: [] }).insert({});
    assert.equal(permissions(dataFolder), 0o700);
    for (const name of ['platform.db', 'platform.db-wal', 'platform.db-shm'])
      assert.equal(permissions(join(dataFolder, name)), 0o600, name);
    await store.close();
    chmodSync(join(dataFolder, 'platform.db'), 0o644);
    await (await openStore({ dataFolder })).close();
    assert.equal(permissions(join(dataFolder, 'platform.db')), 0o600);
  });

  it('is refused when it is no database', async (test) => {
    const dataFolder = emptyFolder(test);
    writeFileSync(
      join(dataFolder, 'platform.db'),
      'this is not a database, whatever its name says'.repeat(100),
    );
    await assert.rejects(openStore({ dataFolder }), /not a database/);
  });

  it('cannot stand where there can be no folder', async (test) => {
    const path = join(emptyFolder(test), 'file');
    writeFileSync(path, '');
    await assert.rejects(openStore({ dataFolder: path }), StoreUnavailable);
  });

  it('lets the event loop run while another process holds it', async (test) => {
    const dataFolder = emptyFolder(test);
    const store = await openStore({ dataFolder });
    const collection = store.collection({ name: 'a', unique: [], indexed: [] });
    const intruder = new DatabaseSync(join(dataFolder, 'platform.db'));
    intruder.exec('BEGIN IMMEDIATE');
    const insertion = collection.insert({});
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await new Promise((resolve) => setTimeout(resolve, 300));
    clearInterval(timer);
    intruder.close();
    await insertion;
    assert.ok(turns >= 5, `${turns} turns of the event loop in 300 ms`);
    await store.close();
  });

  it('orders text by code point beyond the basic plane, too', async (test) => {
    const store = await openStore({ dataFolder: emptyFolder(test) });
    const collection = store.collection<{ name: string }>({ name: 'a', unique: [], indexed: [] });
    await collection.insertMany([{ name: '🏛' }, { name: '\uffee' }]);
    const found = await collection.list({ orderBy: { member: 'name' } });
    assert.deepEqual(
      found.map(({ value }) => value.name),
      ['\uffee', '🏛'],
    );
    await store.close();
  });

  it('undoes a batch of which one document is refused', async (test) => {
    const store = await openStore({ dataFolder: emptyFolder(test) });
    const collection = store.collection<{ name: string }>({ name: 'a', unique: [['name']], indexed: [] });
    await assert.rejects(collection.insertMany([{ name: 'a' }, { name: 'b' }, { name: 'a' }]));
    assert.equal(await collection.count(), 0);
    await store.close();
  });

  it('answers pages and lookups of 100,000 documents as fast as of 100', async (test) => {
    const store = await openStore({ dataFolder: emptyFolder(test) });
    const people = store.collection<Person>({
      name: 'people',
      unique: [['name']],
      indexed: [['team', 'age'], ['age']],
    });
    await fill(people, 100);
    const few = await timings(people);
    await fill(people, 100_000);
    const many = await timings(people);
    for (const [question, ms] of Object.entries(few)) {
      // Half a millisecond of grace: a busy machine makes more noise than these questions take.
      assert.ok(
        many[question]! <= 2 * ms + 0.5,
        `${question}: ${ms} ms of 100, ${many[question]} ms of 100,000`,
      );
    }
    await store.close();
  });
});

interface Person {
  name: string;
  team: string;
  age: number;
}

type People = Collection<Person>;

async function fill(people: People, total: number): Promise<void> {
  for (let count = await people.count(); count < total; count = await people.count()) {
    const batch = Math.min(1000, total - count);
    await people.insertMany(
      Array.from({ length: batch }, (_, index) => ({
        name: `person ${count + index}`,
        team: `team ${index % 10}`,
        age: (count + index) % 977,
      })),
    );
  }
}

async function timings(people: People): Promise<Record<string, number>> {
  const questions = {
    'first page by name': () => people.list({ orderBy: { member: 'name' }, limit: 50 }),
    'last page by age': () => people.list({ orderBy: { member: 'age', descending: true }, limit: 50 }),
    'page of a team': () => people.list({ where: { team: 'team 3' }, orderBy: { member: 'age' }, limit: 10 }),
    'lookup by unique key': () => people.findOne({ name: 'person 42' }),
    total: () => people.count(),
  };
  const result: Record<string, number> = {};
  for (const [question, ask] of Object.entries(questions)) result[question] = await medianMs(ask);
  return result;
}

async function medianMs(ask: () => Promise<unknown>): Promise<number> {
  const rounds: number[] = [];
  for (let round = 0; round < 101; round++) {
    const began = performance.now();
    await ask();
    rounds.push(performance.now() - began);
  }
  return rounds.sort((a, b) => a - b)[50]!;
}

function permissions(path: string): number {
  return statSync(path).mode & 0o777;
}

function emptyFolder(test: { after(callback: () => void): void }): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-store-'));
  test.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
