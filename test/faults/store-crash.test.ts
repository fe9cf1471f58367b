import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openStore } from '../../src/store/open-store.ts';

const writer = fileURLToPath(new URL('./store-writer.ts', import.meta.url));
const CRASHES = 20;
const BATCH = 20;

describe('the platform database after a crash', () => {
  it(`has everything it acknowledged, killed ${CRASHES} times at any moment`, async (test) => {
    const dataFolder = mkdtempSync(join(tmpdir(), 'gatehouse-crash-'));
    test.after(() => rmSync(dataFolder, { recursive: true }));
    const entries = new Set<string>();
    const batches: string[] = [];
    let total = 0;

    for (let crash = 0; crash < CRASHES; crash++) {
      const output = await writeUntilKilled(dataFolder, Math.random() * 150);
      for (const [, kind, value] of output.matchAll(/^(entry|total|batch) (\w+)\n/gm)) {
        if (kind === 'entry') entries.add(value!);
        else if (kind === 'batch') batches.push(value!);
        else total = Number(value);
      }
      assertIsWhole(dataFolder);
      const found = await readBack(dataFolder);
      const lost = [...entries].filter((id) => !found.entries.has(id));
      assert.deepEqual(lost, [], `entries lost by crash ${crash}`);
      // The change may have been written, but not yet told, when the process ended.
      assert.ok(found.total === total || found.total === total + 1, `${found.total} instead of ${total}`);
      total = found.total;
      for (const batch of batches) assert.equal(found.batches.get(batch), BATCH, `batch ${batch}`);
      for (const [batch, size] of found.batches)
        assert.equal(size % BATCH, 0, `batch ${batch} is half there`);
    }
    assert.ok(entries.size > CRASHES, `only ${entries.size} entries were acknowledged`);
    assert.ok(batches.length > 0, 'no batch was acknowledged');
  });

  it('serves another process while one that was killed left its lock behind', async (test) => {
    const dataFolder = mkdtempSync(join(tmpdir(), 'gatehouse-crash-'));
    test.after(() => rmSync(dataFolder, { recursive: true }));
    const store = await openStore({ dataFolder });
    const collection = store.collection<{ n: number }>({ name: 'mine', unique: [], indexed: [] });
    for (let crash = 0; crash < 5; crash++) {
      const writing = writeUntilKilled(dataFolder, 50 + Math.random() * 100);
      let isOver = false;
      const ended = writing.finally(() => {
        isOver = true;
      });
      for (let n = 0; !isOver; n++) {
        await collection.insert({ n });
        await delay(1);
      }
      await ended;
      await collection.insert({ n: -1 });
    }
    assert.equal(await collection.count({ n: -1 }), 5);
    await store.close();
    assertIsWhole(dataFolder);
  });
});

/** Lets a process write for some time after its first acknowledged write and kills it. Resolves with its output. */
async function writeUntilKilled(dataFolder: string, ms: number): Promise<string> {
  const child = spawn(process.execPath, [writer, dataFolder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  await Promise.race([once(child.stdout, 'data'), closed]);
  await Promise.race([delay(ms), closed]);
  assert.equal(child.exitCode, null, 'the writer ended by itself');
  child.kill('SIGKILL');
  await closed;
  return output;
}

function assertIsWhole(dataFolder: string): void {
  const database = new DatabaseSync(join(dataFolder, 'platform.db'));
  try {
    assert.deepEqual({ ...database.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' });
  } finally {
    database.close();
  }
}

async function readBack(dataFolder: string) {
  const store = await openStore({ dataFolder });
  const entries = new Set<string>();
  const batches = new Map<string, number>();
  const stored = await store
    .collection<{ n: number; text: string }>({ name: 'entries', unique: [['n']], indexed: [['text']] })
    .list({ limit: 1_000_000 });
  for (const { id, value } of stored) {
    entries.add(id);
    const batch = /^batch (\d+)$/.exec(value.text)?.[1];
    if (batch !== undefined) batches.set(batch, (batches.get(batch) ?? 0) + 1);
  }
  const counters = store.collection<{ total: number }>({ name: 'counters', unique: [], indexed: [] });
  const total = (await counters.findOne({}))?.value.total ?? 0;
  await store.close();
  return { entries, batches, total };
}
