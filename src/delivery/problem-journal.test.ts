import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { silentLog } from '../kernel/log.ts';
import { ManualClock } from '../kernel/testing/manual-clock.ts';
import { type JournalKind, journalCollection, type StoredJournalRow } from '../model/journal.ts';
import type { Store } from '../store/contract.ts';
import { openStore } from '../store/open-store.ts';
import type { DeliveryProblem } from './delivery-problem.ts';
import { ProblemJournal } from './problem-journal.ts';

const dataFolder = mkdtempSync(join(tmpdir(), 'gatehouse-problems-'));
after(() => rmSync(dataFolder, { recursive: true }));

const place = { connectionId: '1', connectionName: 'crm', environmentName: 'Test', podName: 'w-1' };
const refused: DeliveryProblem = {
  kind: 'connection',
  level: 'ERROR',
  place,
  reason: 'connect-refused',
  text: 'the target refused the connection',
  count: 3,
};

async function rowsOf(store: Store, kind: JournalKind): Promise<object[]> {
  const found = await store.collection<StoredJournalRow>(journalCollection(kind)).list();
  // Both were written at the same time.
  return found
    .map(({ value }) => value)
    .sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
}

test('problems reach the message journal, and those with the target the deployment journal too', async () => {
  const store = await openStore({ dataFolder });
  const clock = new ManualClock(1000);
  const journal = new ProblemJournal({ store, clock, log: silentLog });
  journal.report(refused);
  const unverified = { reason: 'tls-not-verified', text: 'no trust store', count: 1 };
  journal.report({ ...refused, ...unverified, kind: 'configuration', level: 'WARN' });
  await journal.settled();
  const text = 'connect-refused: the target refused the connection (3 times)';
  const source = 'connection crm on w-1';
  assert.deepEqual(await rowsOf(store, 'message'), [
    { at: 1000, level: 'ERROR', source, text, environmentName: 'Test' },
    { at: 1000, level: 'WARN', source, text: 'tls-not-verified: no trust store', environmentName: 'Test' },
  ]);
  assert.deepEqual(await rowsOf(store, 'deployment'), [
    {
      at: 1000,
      userName: '',
      environmentName: 'Test',
      podName: 'w-1',
      objectType: 'connection',
      objectName: 'crm',
      result: 'FAILURE',
      detail: text,
    },
  ]);
  await store.close();
});

test('a database that is away takes nothing down, and problems do not pile up', async () => {
  const store = await openStore({ dataFolder });
  const journal = new ProblemJournal({ store, clock: new ManualClock(), log: silentLog });
  await store.close();
  for (let count = 0; count < 1000; count++) journal.report(refused);
  await journal.settled();
});
