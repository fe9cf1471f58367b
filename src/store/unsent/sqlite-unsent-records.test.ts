import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { openStore } from '../open-store.ts';
import { growingIds } from './growing-id.ts';
import { openUnsentSource } from './open-unsent-source.ts';
import { describeUnsentRecords } from './unsent-records.suite.ts';

const parent = mkdtempSync(join(tmpdir(), 'gatehouse-unsent-'));
after(() => rmSync(parent, { recursive: true, force: true }));

async function openEmpty() {
  const dataFolder = mkdtempSync(join(parent, 'db-'));
  await (await openStore({ dataFolder })).close();
  return { dataFolder, source: (await openUnsentSource({ dataFolder }))! };
}

describeUnsentRecords('the embedded database', { open: async () => (await openEmpty()).source });

it('a folder without a database is no source, and none is made', async () => {
  assert.equal(await openUnsentSource({ dataFolder: parent }), undefined);
  assert.equal(statSync(join(parent, 'platform.db'), { throwIfNoEntry: false }), undefined);
});

it('compact gives the space of deleted records back to the disk', async () => {
  const { source, dataFolder } = await openEmpty();
  await using _closing = source;
  const records = source.records('UnsentMessage');
  const content = JSON.stringify({ text: 'x'.repeat(10_000) });
  await records.append(Array.from({ length: 300 }, () => ({ log_timestamp: '', connector_id: '', content })));
  assert.ok((await records.storageBytes()) > 3_000_000);
  const keys = (await records.read({ limit: 1000, maxBytes: 1e9 })).map(({ key }) => key);
  await records.delete(keys);
  await records.compact();
  assert.ok(statSync(join(dataFolder, 'platform.db')).size < 1_000_000);
});

it('ids grow with every call, also when the clock is set back', () => {
  const times = [5, 5, 3, 9];
  const nextId = growingIds(() => times.shift()!);
  const ids = [nextId(), nextId(), nextId(), nextId()];
  assert.deepEqual(ids, ids.toSorted());
  assert.equal(new Set(ids).size, 4);
});
