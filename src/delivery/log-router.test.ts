import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { systemClock } from '../kernel/clock.ts';
import { silentLog } from '../kernel/log.ts';
import { outboundGuard } from '../kernel/outbound/outbound-guard.ts';
import { completeParameters } from '../model/connection.ts';
import { defaultSettings } from '../model/settings-category.ts';
import type { ConnectionContent } from '../platform/deployment/connection-content.ts';
import type { OpenedObject } from '../platform/deployment/deployments.ts';
import type { LogConnectorContent } from '../platform/deployment/log-connectors-content.ts';
import type { UnsentRecord } from '../store/unsent/unsent-records.ts';
import { ConnectionHost } from './connection-host.ts';
import { LogRouter } from './log-router.ts';
import { answers, FaultyTarget, hangs } from './testing/faulty-target.ts';
import { assertBalanced } from './testing/test-delivery.ts';

const object = { enabled: true, digest: '', revision: 1, deployedAtMs: 1 };

/** A pod with connections and log connectors, and a store of unsent records that a test may take away. */
function setUp() {
  const unsent: UnsentRecord[] = [];
  const keeping = { isAway: false };
  const options = {
    environmentName: 'Test',
    podName: () => 'w-1',
    clock: systemClock,
    log: silentLog,
  };
  const connections = new ConnectionHost({ ...options, addresses: outboundGuard() });
  const append = async (records: readonly UnsentRecord[]) => {
    if (keeping.isAway) throw new Error('the store is away');
    unsent.push(...records);
  };
  const logs = new LogRouter({ ...options, connections, unsentRecords: { append } });
  const connect = async (targets: Readonly<Record<string, object>>) => {
    const objects = Object.entries(targets).map(([id, parameters]): OpenedObject => {
      const content: ConnectionContent = {
        name: id,
        parameters: completeParameters({
          httpMethod: 'POST',
          fullUrl: 'http://127.0.0.1:1/',
          maxRetryCount: 0,
          ...parameters,
        }),
        breakerDefaults: defaultSettings('connector-circuit-breaker'),
        variables: {},
        trustStore: null,
        keyStore: null,
        collectorChannelHeader: null,
      };
      return { ...object, kind: 'connection', id, name: id, digest: JSON.stringify(content), content };
    });
    (await connections.build(objects)).activate();
  };
  const route = async (...connectors: Partial<LogConnectorContent>[]) => {
    const content = {
      connectors: connectors.map((given) => ({
        id: 'c-1',
        kind: 'audit' as const,
        enabled: true,
        connectionId: 'main',
        failoverConnectionId: null,
        keepUnsent: false,
        ...given,
      })),
    };
    const opened: OpenedObject = { ...object, kind: 'log-connectors', id: 'e-1', name: 'logs', content };
    (await logs.build([opened])).activate();
  };
  const stop = (ms = 5000) =>
    Promise.all([connections.stop(ms, logs.failoverConnectionIds()), logs.stop(ms)]);
  const countersOf = (id: string) => connections.find(id)!.engine.counters();
  return { connections, logs, unsent, keeping, connect, route, stop, countersOf };
}

const event = (n: number) => ({ record: { aci: `id-${n}`, n }, timeMs: Date.UTC(2026, 0, 1) });

describe('the log connectors of a pod', () => {
  test('send the records of each kind through their connection, and those of no other', async () => {
    await using audit = await FaultyTarget.start(answers(200));
    await using token = await FaultyTarget.start(answers(200));
    const { connect, route, logs, stop } = setUp();
    await connect({ main: { fullUrl: audit.url }, second: { fullUrl: token.url } });
    await route({}, { kind: 'token', connectionId: 'second' });
    assert.deepEqual([logs.sends('audit'), logs.sends('token'), logs.sends('traffic')], [true, true, false]);
    logs.send('audit', event(1));
    logs.send('token', event(2));
    logs.send('traffic', event(3));
    assert.equal(logs.offer('traffic', event(4)), undefined);
    await Promise.all([audit.untilRequests(1), token.untilRequests(1)]);
    await stop();
    assert.deepEqual([audit.records, token.records], [[{ aci: 'id-1', n: 1 }], [{ aci: 'id-2', n: 2 }]]);
  });

  test('that are switched off send nothing', async () => {
    const { connect, route, logs, stop, countersOf } = setUp();
    await connect({ main: {} });
    await route({ enabled: false });
    logs.send('audit', event(1));
    assert.equal(countersOf('main').accepted, 0);
    await stop();
  });

  test('give what their connection can not deliver to the failover, as it is deployed by then', async () => {
    await using down = await FaultyTarget.start(answers(400));
    await using spare = await FaultyTarget.start(answers(200));
    const { connect, route, logs, stop } = setUp();
    await connect({ main: { fullUrl: down.url }, spare: { fullUrl: 'http://127.0.0.1:1/' } });
    await route({ failoverConnectionId: 'spare', keepUnsent: true });
    // Another deployment of the failover connection: no log connector changes by it.
    await connect({ main: { fullUrl: down.url }, spare: { fullUrl: spare.url } });
    logs.send('audit', event(1));
    await spare.untilRequests(1);
    await stop();
    assert.deepEqual(spare.records, [{ aci: 'id-1', n: 1 }]);
  });

  test('keep what nobody takes, word for word and with their own id', async () => {
    await using down = await FaultyTarget.start(answers(400));
    const { connect, route, logs, stop, countersOf, unsent } = setUp();
    await connect({ main: { fullUrl: down.url }, spare: { fullUrl: down.url } });
    await route({ id: 'c-7', failoverConnectionId: 'spare', keepUnsent: true });
    await logs.offer('audit', { ...event(1), record: '{"aci":"id-1",  "n":1.0}' });
    while (countersOf('spare').unsent === 0) await systemClock.sleep(5);
    assert.deepEqual(unsent, [
      { log_timestamp: '2026-01-01T00:00:00.000Z', connector_id: 'c-7', content: '{"aci":"id-1",  "n":1.0}' },
    ]);
    assert.deepEqual([countersOf('main').failedOver, countersOf('spare').accepted], [1, 1]);
    for (const id of ['main', 'spare']) assertBalanced(countersOf(id));
    await stop();
  });

  test('whose connection is not deployed count that, and use failover and store all the same', async () => {
    await using spare = await FaultyTarget.start(answers(200));
    const { connect, route, logs, stop, unsent, keeping } = setUp();
    await connect({ spare: { fullUrl: spare.url } });
    await route({ failoverConnectionId: 'spare', keepUnsent: true });
    assert.equal((await logs.offer('audit', event(1)))?.kind, 'failed-over');
    await spare.untilRequests(1);
    await connect({});
    assert.equal((await logs.offer('audit', event(2)))?.kind, 'unsent');
    keeping.isAway = true;
    assert.deepEqual(await logs.offer('audit', event(3)), { kind: 'dropped', reason: 'unsent-not-kept' });
    assert.deepEqual(await logs.offer('audit', { record: { big: 1n } }), {
      kind: 'dropped',
      reason: 'not-encodable',
    });
    await route({});
    assert.deepEqual(await logs.offer('audit', event(4)), {
      kind: 'dropped',
      reason: 'connection-not-deployed',
    });
    const [{ unrouted } = assert.fail()] = logs.states();
    assertBalanced(unrouted);
    assert.deepEqual([unrouted.accepted, unrouted.failedOver, unrouted.unsent], [5, 1, 1]);
    assert.deepEqual(unrouted.dropped, {
      'unsent-not-kept': 1,
      'not-encodable': 1,
      'connection-not-deployed': 1,
    });
    assert.equal(unsent.length, 1);
    await stop();
  });

  for (const [name, reaction] of [
    ['refuses', answers(404)],
    ['hangs', hangs],
  ] as const)
    test(`use the failover to the end: what a target ${name} while the pod stops arrives there`, async () => {
      await using main = await FaultyTarget.start(reaction);
      await using spare = await FaultyTarget.start(answers(200));
      const { connect, route, logs, stop, countersOf, connections } = setUp();
      const batched = { batchEnabled: true, batchMaxDelayMs: 3_600_000, responseTimeoutSeconds: 3600 };
      await connect({ main: { fullUrl: main.url, ...batched }, spare: { fullUrl: spare.url, ...batched } });
      await route({ failoverConnectionId: 'spare' });
      await logs.offer('audit', event(1));
      const { engine } = connections.find('main')!;
      assert.equal(countersOf('main').pending, 1);
      await stop(4500);
      assert.equal(engine.counters().failedOver, 1);
      assertBalanced(engine.counters());
      assert.deepEqual(spare.records, [event(1).record]);
    });

  test('hold nobody up, however full the connection is', async () => {
    await using stuck = await FaultyTarget.start(hangs);
    const { connect, route, logs, stop } = setUp();
    await connect({ main: { fullUrl: stuck.url, batchBufferMemoryBytes: 1024, responseTimeoutSeconds: 1 } });
    await route({});
    const startedAt = performance.now();
    for (let n = 0; n < 1000; n++) logs.send('audit', event(n));
    // Each of them may wait for 50 ms: one after the other that would be most of a minute.
    assert.ok(performance.now() - startedAt < 10_000);
    await stop();
  });

  test('that a revision does not change keep their place in the batches', async () => {
    await using target = await FaultyTarget.start(answers(200));
    const { connect, route, logs, stop } = setUp();
    const parameters = { fullUrl: target.url, batchEnabled: true, batchMaxDelayMs: 60_000 };
    await connect({ main: parameters });
    await route({});
    logs.send('audit', event(1));
    await route({}, { kind: 'token', id: 'c-2' });
    logs.send('audit', event(2));
    await stop();
    assert.equal(target.requests.length, 1);
    assert.equal(target.records.length, 2);
  });
});
