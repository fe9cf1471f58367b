import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type Log, silentLog } from '../kernel/log.ts';
import { ManualClock } from '../kernel/testing/manual-clock.ts';
import { journalCollection, type StoredJournalRow } from '../model/journal.ts';
import { openStore } from '../store/open-store.ts';
import { heapDumpJournal } from './heap-dump-journal.ts';

const dataFolder = mkdtempSync(join(tmpdir(), 'gatehouse-dump-journal-'));
after(() => rmSync(dataFolder, { recursive: true }));

test('a heap dump stands in the message journal; a database that is away is only a warning', async () => {
  const store = await openStore({ dataFolder });
  const warned: unknown[] = [];
  const log = { ...silentLog, warn: ({ event }: { event: string }) => void warned.push(event) } as Log;
  const clock = new ManualClock();
  const journal = heapDumpJournal({ store, source: 'worker', environmentName: 'Test', clock, log });
  await journal('heap dump (hprof) of w-1 taken by 10.0.0.1');
  const [row, ...others] = await store.collection<StoredJournalRow>(journalCollection('message')).list();
  assert.deepEqual(row?.value, {
    at: clock.now(),
    level: 'WARN',
    source: 'worker',
    text: 'heap dump (hprof) of w-1 taken by 10.0.0.1',
    environmentName: 'Test',
  });
  assert.equal(others.length, 0);
  assert.deepEqual(warned, []);
  await store.close();
  await journal('another');
  assert.deepEqual(warned, ['journal.not-written']);
});
