import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { systemClock } from '../kernel/clock.ts';
import { silentLog } from '../kernel/log.ts';
import { SecretBox } from '../kernel/secret-box.ts';
import { completeParameters } from '../model/connection.ts';
import { type JournalKind, journalCollection, type StoredJournalRow } from '../model/journal.ts';
import { defaultSettings } from '../model/settings-category.ts';
import type { ConnectionContent } from '../platform/deployment/connection-content.ts';
import type { LogConnectorsContent } from '../platform/deployment/log-connectors-content.ts';
import type { ObjectKind } from '../platform/deployment/object-deployer.ts';
import { placeOf, Snapshots } from '../platform/deployment/snapshots.ts';
import type { Store } from '../store/contract.ts';
import { newId } from '../store/new-id.ts';
import { openStore } from '../store/open-store.ts';
import { createDeployedDelivery } from './deployed-delivery.ts';
import { answers, FaultyTarget, hangs } from './testing/faulty-target.ts';

const dataFolder = mkdtempSync(join(tmpdir(), 'gatehouse-delivery-'));
after(() => rmSync(dataFolder, { recursive: true, force: true }));
const secretBox = new SecretBox(randomBytes(32));

/** A pod of an environment to which a connection and a log connector that uses it are deployed. */
async function startPod(store: Store, fullUrl: string) {
  const environment = { id: newId(), name: 'Test' };
  const connection: ConnectionContent = {
    name: 'siem',
    parameters: completeParameters({
      httpMethod: 'POST',
      fullUrl,
      headerList: [{ name: 'Authorization', value: 'Bearer for-the-target' }],
      ...{ responseTimeoutSeconds: 1, maxRetryCount: 0 },
    }),
    breakerDefaults: defaultSettings('connector-circuit-breaker'),
    variables: {},
    trustStore: null,
    keyStore: null,
    collectorChannelHeader: null,
  };
  const logConnectors: LogConnectorsContent = {
    connectors: [
      {
        id: 'c-1',
        kind: 'audit',
        enabled: true,
        connectionId: 'siem',
        failoverConnectionId: null,
        keepUnsent: false,
      },
    ],
  };
  const deployed = (kind: ObjectKind, id: string, content: object) => ({
    ...{ kind, id, name: id, enabled: true, digest: id, revision: 1, deployedAtMs: 1 },
    sealedContent: secretBox.seal(JSON.stringify(content), placeOf(environment.id, { kind, id })),
  });
  await new Snapshots(store).next(environment.id, {
    createdAtMs: 1,
    createdBy: 'ada',
    environmentName: environment.name,
    change: () => [
      deployed('connection', 'siem', connection),
      deployed('log-connectors', environment.id, logConnectors),
    ],
  });
  const delivery = createDeployedDelivery({
    environment,
    podName: () => 'w-1',
    secretBox,
    allowsPrivateTargets: true,
    unsentRecords: { append: async () => {} },
    store,
    clock: systemClock,
    log: silentLog,
  });
  await delivery.deployments.start();
  return delivery;
}

async function rowsOf(store: Store, kind: JournalKind): Promise<StoredJournalRow[]> {
  return (await store.collection<StoredJournalRow>(journalCollection(kind)).list()).map(({ value }) => value);
}

/** A port that nobody listens on. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

describe('a pod that delivers logs', () => {
  test('follows a revision from the database to the target', async () => {
    await using target = await FaultyTarget.start(answers(200));
    const store = await openStore({ dataFolder });
    const delivery = await startPod(store, target.url);
    delivery.logs.send('audit', { record: { n: 1 } });
    await target.untilRequests(1);
    await delivery.stop(5000);
    await store.close();
    assert.deepEqual(target.records, [{ n: 1 }]);
    assert.equal(target.requests[0]!.headers.authorization, 'Bearer for-the-target');
  });

  const failures: ReadonlyArray<readonly [string, string, () => Promise<FaultyTarget | undefined>]> = [
    ['refuses connections', 'connect-refused', async () => undefined],
    ['does not answer', 'response-timeout', () => FaultyTarget.start(hangs)],
    ['does not know us', 'status-401', () => FaultyTarget.start(answers(401, [], 'Bearer for-the-target'))],
  ];
  for (const [what, reason, start] of failures)
    test(`tells both journals once of a target that ${what}, without secrets and bodies`, async () => {
      const folder = mkdtempSync(join(dataFolder, 'errors-'));
      const store = await openStore({ dataFolder: folder });
      const target = await start();
      const delivery = await startPod(store, target?.url ?? `http://127.0.0.1:${await closedPort()}`);
      for (let n = 0; n < 5; n++) delivery.logs.send('audit', { record: { note: 'confidential', n } });
      const { engine } = delivery.connections.find('siem')!;
      while (engine.counters().pending > 0) await systemClock.sleep(5);
      await delivery.stop(5000);
      await target?.[Symbol.asyncDispose]();
      assert.deepEqual(engine.counters().dropped, { [reason]: 5 });
      const [messages, deployments] = [await rowsOf(store, 'message'), await rowsOf(store, 'deployment')];
      await store.close();
      const told = messages.filter((row) => 'text' in row && row.text.startsWith(`${reason}: `));
      // One of the attempts, one of the events that were lost by it.
      assert.equal(told.length, 2, JSON.stringify(messages));
      assert.equal(deployments.length, 1, JSON.stringify(deployments));
      assert.ok('detail' in deployments[0]! && deployments[0].detail?.startsWith(`${reason}: `));
      assert.doesNotMatch(JSON.stringify([messages, deployments]), /confidential|for-the-target/);
    });
});
