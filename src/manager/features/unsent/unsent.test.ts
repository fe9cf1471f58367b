import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { LogIndexClient } from '../../../log-index/client.ts';
import { startEmbeddedIndex } from '../../../log-index/embedded/testing/start-embedded-index.ts';
import { trafficLogTemplate, trafficLogTemplateName } from '../../../log-index/traffic-log-template.ts';
import { openUnsentSource } from '../../../store/unsent/open-unsent-source.ts';
import { startManager } from '../../testing/start-manager.ts';
import { tokenFor } from '../../testing/token-for.ts';

const started = await startEmbeddedIndex();
const index = new LogIndexClient({ url: started.url });
await index.putTemplate(trafficLogTemplateName, trafficLogTemplate);
const manager = await startManager({ logIndexUrl: started.url });
const source = (await openUnsentSource({ dataFolder: manager.dataFolder }))!;
after(async () => {
  await source[Symbol.asyncDispose]();
  await manager.close();
  await index[Symbol.asyncDispose]();
  await started[Symbol.asyncDispose]();
});
const { request } = manager;
const TRANSFER = '/apiops/unsent/transfer/';

async function newStream(): Promise<string> {
  const stream = `gateway-log-apiproxy-${randomUUID()}`;
  await index.createDataStream(stream);
  return stream;
}

function append(count: number): Promise<void> {
  return source.records('UnsentMessage').append(
    Array.from({ length: count }, (_, at) => ({
      log_timestamp: '2026-01-01T00:00:00.000Z',
      connector_id: 'c0ffee',
      content: JSON.stringify({
        '@timestamp': '2026-01-01T00:00:00.000Z',
        aci: `aci-${at}`,
        tcb: 'a secret',
      }),
    })),
  );
}

async function ended() {
  for (;;) {
    const { json } = await request('GET', TRANSFER);
    if (json.state !== 'RUNNING') return json;
    await delay(10);
  }
}

it('the overview counts what waits and shows a sample without what it says', async () => {
  await append(15);
  const { status, json, text } = await request('GET', '/apiops/unsent/?sample=3');
  assert.equal(status, 200);
  assert.equal(json.total, 15);
  const [item] = json.items;
  assert.equal(item.collection, 'UnsentMessage');
  assert.equal(item.count, 15);
  assert.ok(item.storageBytes > 0);
  assert.deepEqual([item.first.aci, item.last.aci], ['aci-0', 'aci-14']);
  assert.deepEqual(
    item.sample.map(({ aci }: { aci: string }) => aci),
    ['aci-0', 'aci-1', 'aci-2'],
  );
  assert.equal(item.sample[0].connectorId, 'c0ffee');
  assert.doesNotMatch(text, /secret/);
});

it('a transfer runs by itself, tells its progress, deletes what arrived, and is written into the journal', async () => {
  const stream = await newStream();
  const begun = await request('POST', TRANSFER, { body: { stream, limit: 10 } });
  assert.equal(begun.status, 202, begun.text);
  assert.equal(begun.json.state, 'RUNNING');
  assert.equal(begun.json.total, 10);
  const { state, delivered, deleted, rejected, startedBy } = await ended();
  assert.deepEqual([state, delivered, deleted, rejected, startedBy], ['FINISHED', 10, 10, 0, 'admin']);
  await index.refresh(stream);
  assert.equal((await index.count(stream, { match_all: {} })).count, 10);
  assert.equal((await request('GET', '/apiops/unsent/')).json.total, 5);
  const { items } = (await request('GET', '/apiops/journals/audit/')).json;
  assert.ok(
    items.some(
      ({ action, objectType }: Record<string, string>) =>
        action === 'TRANSFER' && objectType === 'unsent records',
    ),
  );
  const [folder] = readdirSync(join(manager.dataFolder, 'unsent-transfers'));
  assert.deepEqual(readdirSync(join(manager.dataFolder, 'unsent-transfers', folder!)), [
    'replay-unsent.backup.ndjson',
  ]);
});

it('one runs at a time, the command included; a transfer that runs elsewhere is told to end', async () => {
  const stream = await newStream();
  const report = JSON.stringify({ state: 'RUNNING', startedBy: 'replay-unsent', read: 7 });
  const note = { holder: 'another', expiresAtMs: Date.now() + 60_000, isEndWanted: false, report };
  assert.ok(await source.turn.take(note, Date.now()));
  const refused = await request('POST', TRANSFER, { body: { stream } });
  assert.equal(refused.status, 409);
  assert.equal(refused.json.errorKey, 'TRANSFER_IN_PROGRESS');
  assert.match(refused.json.message, /by replay-unsent/);
  assert.equal((await request('GET', TRANSFER)).json.read, 7);
  assert.equal((await request('DELETE', TRANSFER)).status, 202);
  assert.equal((await source.turn.read())!.isEndWanted, true);
  await source.turn.keep({ ...note, expiresAtMs: 0 });
  assert.equal((await request('GET', TRANSFER)).json.state, 'INTERRUPTED');
  assert.equal((await request('DELETE', TRANSFER)).status, 409);
});

it('a target that takes nothing is told of, and nothing is lost', async () => {
  const missing = await request('POST', TRANSFER, { body: { stream: 'gateway-log-apiproxy-none' } });
  assert.equal(missing.status, 409);
  assert.equal(missing.json.errorKey, 'TRANSFER_TARGET_REFUSED');
  await using lonely = await startManager();
  await using records = (await openUnsentSource({ dataFolder: lonely.dataFolder }))!;
  await records.records('UnsentMessage').append([{ log_timestamp: '', connector_id: '', content: '{}' }]);
  const away = await lonely.request('POST', TRANSFER, { body: { stream: 's' } });
  assert.equal(away.status, 503);
  assert.equal(away.json.errorKey, 'LOG_INDEX_UNAVAILABLE');
  assert.equal((await lonely.request('GET', '/apiops/unsent/')).json.total, 1);
});

it('who may not manage the settings of the installation sees and does nothing here', async () => {
  const token = await tokenFor(manager.services, 'reader', []);
  for (const [method, path] of [
    ['GET', '/apiops/unsent/'],
    ['GET', TRANSFER],
    ['POST', TRANSFER],
    ['DELETE', TRANSFER],
  ] as const)
    assert.equal(
      (await request(method, path, { token, ...(method === 'POST' && { body: { stream: 's' } }) })).status,
      403,
    );
});
