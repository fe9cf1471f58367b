import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Registry } from 'prom-client';
import { systemClock } from '../kernel/clock.ts';
import { silentLog } from '../kernel/log.ts';
import { outboundGuard } from '../kernel/outbound/outbound-guard.ts';
import { localhostIdentity, strangerIdentity } from '../kernel/testing/tls-identities.ts';
import { completeParameters, type ParameterSet } from '../model/connection.ts';
import { defaultSettings } from '../model/settings-category.ts';
import type { ConnectionContent } from '../platform/deployment/connection-content.ts';
import { BuildFailed, type Deployments, type OpenedObject } from '../platform/deployment/deployments.ts';
import { ConnectionHost } from './connection-host.ts';
import { registerDeliveryMetrics } from './delivery-metrics.ts';
import type { LogRouter } from './log-router.ts';
import { answers, FaultyTarget, hangs } from './testing/faulty-target.ts';
import { assertBalanced, until } from './testing/test-delivery.ts';

function contentOf(
  parameters: Partial<ParameterSet>,
  rest: Partial<ConnectionContent> = {},
): ConnectionContent {
  return {
    name: 'crm',
    parameters: completeParameters({ httpMethod: 'POST', fullUrl: 'http://127.0.0.1:1/', ...parameters }),
    breakerDefaults: defaultSettings('connector-circuit-breaker'),
    variables: {},
    trustStore: null,
    keyStore: null,
    collectorChannelHeader: null,
    ...rest,
  };
}

function deployed(id: string, content: ConnectionContent, revision = 1, enabled = true): OpenedObject {
  const digest = JSON.stringify(content);
  return { kind: 'connection', id, name: id, enabled, digest, revision, deployedAtMs: 1, content };
}

function createHost(options: { drainMs?: number } = {}) {
  return new ConnectionHost({
    environmentName: 'Test',
    podName: () => 'w-1',
    addresses: outboundGuard(),
    clock: systemClock,
    log: silentLog,
    ...options,
  });
}

async function activate(host: ConnectionHost, ...objects: OpenedObject[]): Promise<void> {
  (await host.build(objects)).activate();
}

const pem = (text: string, password = '') => ({
  name: 'store',
  type: 'PEM' as const,
  content: Buffer.from(text).toString('base64'),
  password,
});

describe('the connections of a pod', () => {
  test('deliver what was deployed, and nothing before it is activated', async () => {
    await using target = await FaultyTarget.start(answers(200));
    const host = createHost();
    const prepared = await host.build([deployed('a', contentOf({ fullUrl: target.url }))]);
    assert.equal(host.find('a'), undefined);
    prepared.activate();
    await host.find('a')!.engine.offer({ record: { n: 1 } });
    await target.untilRequests(1);
    await host.stop(5000);
    assert.deepEqual(target.records, [{ n: 1 }]);
  });

  test('that a revision does not change keep their engine', async () => {
    const host = createHost();
    const [a, b] = [deployed('a', contentOf({})), deployed('b', contentOf({}))];
    await activate(host, a, b);
    const [engineA, engineB] = [host.find('a')!.engine, host.find('b')!.engine];
    await activate(host, { ...a, revision: 2 }, deployed('b', contentOf({ timeout: 9 }), 2));
    assert.equal(host.find('a')!.engine, engineA);
    assert.notEqual(host.find('b')!.engine, engineB);
    assert.deepEqual(
      host.states().map(({ id, revision }) => [id, revision]),
      [
        ['a', 2],
        ['b', 2],
      ],
    );
    await host.stop(0);
  });

  test('go on counting when they are deployed anew, and what the old engine holds is delivered', async () => {
    await using target = await FaultyTarget.start(answers(200));
    const host = createHost({ drainMs: 10_000 });
    const batched = { batchEnabled: true, batchMaxDelayMs: 3_600_000, fullUrl: target.url };
    await activate(host, deployed('a', contentOf(batched)));
    for (let n = 0; n < 3; n++) await host.find('a')!.engine.offer({ record: { n } });
    await activate(host, deployed('a', contentOf({ ...batched, batchMaxEvents: 2 }), 2));
    for (let n = 3; n < 5; n++) await host.find('a')!.engine.offer({ record: { n } });
    const { engine } = host.find('a')!;
    await host.stop(10_000);
    const counts = engine.counters();
    assert.deepEqual([counts.accepted, counts.delivered], [5, 5]);
    assertBalanced(counts);
    assert.deepEqual(target.records.map((record) => (record as { n: number }).n).sort(), [0, 1, 2, 3, 4]);
  });

  test('that are deployed anew take over the producers that wait for room, and those who still know the old one', async () => {
    await using stuck = await FaultyTarget.start(hangs);
    await using target = await FaultyTarget.start(answers(200));
    const host = createHost({ drainMs: 0 });
    const parameters = { batchBufferMemoryBytes: 1024, producerThrottleMs: 2000, maxRetryCount: 0 };
    await activate(host, deployed('a', contentOf({ ...parameters, fullUrl: stuck.url })));
    const { engine: before } = host.find('a')!;
    await before.offer({ record: { n: 1, text: 'x'.repeat(300) } });
    const waiting = before.offer({ record: { n: 2, text: 'x'.repeat(300) } });
    assert.equal(before.state().waitingProducers, 1);
    await activate(host, deployed('a', contentOf({ ...parameters, fullUrl: target.url }), 2));
    assert.deepEqual(await waiting, { kind: 'accepted' });
    await target.untilRequests(1);
    await before.offer({ record: { n: 3 } });
    await target.untilRequests(2);
    const { engine } = host.find('a')!;
    await host.stop(5000);
    assertBalanced(engine.counters());
    assert.deepEqual([engine.counters().accepted, engine.counters().delivered], [3, 2]);
    assert.deepEqual(engine.counters().dropped, { shutdown: 1 });
  });

  test('that were replaced do not hold the pod up when it stops', async () => {
    await using stuck = await FaultyTarget.start(hangs);
    const host = createHost({ drainMs: 3_600_000 });
    const parameters = { fullUrl: stuck.url, responseTimeoutSeconds: 3600 };
    await activate(host, deployed('a', contentOf(parameters)));
    const { engine } = host.find('a')!;
    await engine.offer({ record: { n: 1 } });
    await stuck.untilRequests(1);
    await activate(host, deployed('a', contentOf({ ...parameters, timeout: 7 }), 2));
    assert.equal(engine.counters().pending, 1);
    await host.stop(100);
    assert.deepEqual(engine.counters().dropped, { shutdown: 1 });
    assertBalanced(engine.counters());
    await until('the closed socket', () => stuck.openSocketCount === 0);
  });

  test('send 500 header rows, each as it was given and in its place', async () => {
    await using target = await FaultyTarget.start(answers(200));
    const headerList = Array.from({ length: 500 }, (_, n) => ({ name: `X-Row-${n}`, value: `value ${n}` }));
    const host = createHost();
    await activate(host, deployed('a', contentOf({ fullUrl: target.url, headerList })));
    await host.find('a')!.engine.offer({ record: { n: 1 } });
    await target.untilRequests(1);
    await host.stop(5000);
    const sent = Object.entries(target.requests[0]!.headers).filter(([name]) => name.startsWith('x-row-'));
    assert.deepEqual(
      sent,
      headerList.map(({ name, value }) => [name.toLowerCase(), value]),
    );
  });

  test('call the channel of a collector as the installation does', async () => {
    await using target = await FaultyTarget.start(answers(200, [], '{"text":"Success","code":0}'));
    const host = createHost();
    const parameters = { fullUrl: target.url, eventCollectorEnabled: true };
    await activate(host, deployed('a', contentOf(parameters, { collectorChannelHeader: 'X-Acme-Channel' })));
    await host.find('a')!.engine.offer({ record: { n: 1 } });
    await target.untilRequests(1);
    await host.stop(5000);
    const { headers } = target.requests[0]!;
    assert.match(headers['x-acme-channel'] ?? '', /^[0-9a-f-]{36}$/);
    assert.equal(headers['x-splunk-request-channel'], undefined);
  });

  test('that are switched off leave their target alone at once, and say so', async () => {
    await using target = await FaultyTarget.start(answers(200));
    const host = createHost();
    const content = contentOf({ batchEnabled: true, batchMaxDelayMs: 3_600_000, fullUrl: target.url });
    await activate(host, deployed('a', content));
    await host.find('a')!.engine.offer({ record: { n: 1 } });
    await activate(host, deployed('a', content, 2, false));
    const { engine } = host.find('a')!;
    assert.equal(engine.state().isEnabled, false);
    assert.deepEqual(await engine.offer({ record: { n: 2 } }), { kind: 'dropped', reason: 'disabled' });
    await host.stop(1000);
    assertBalanced(engine.counters());
    assert.deepEqual(engine.counters().dropped, { disabled: 1, shutdown: 1 });
    assert.equal(target.socketCount, 0);
  });

  test('show their queues: what is sent and compressed, and what waits for it', async () => {
    await using target = await FaultyTarget.start(hangs);
    const host = createHost();
    const one = {
      fullUrl: target.url,
      connectionPoolMaxConnectionPerHost: 1,
      connectionPoolMaxConnectionTotal: 1,
    };
    await activate(
      host,
      { ...deployed('a', contentOf(one)), projectName: 'shop' },
      deployed('b', contentOf({ gzipEnabled: true, batchEnabled: true })),
    );
    for (let n = 0; n < 3; n++) await host.find('a')!.engine.offer({ record: { n } });
    await target.untilRequests(1);
    const idle = { activeCount: 0, queueSize: 0, rejectedTaskCount: 0 };
    const { 'delivery shop/a': sending, 'gzip b': gzip, ...others } = host.executorPools();
    assert.deepEqual(sending, { poolSize: 1, activeCount: 1, queueSize: 2, rejectedTaskCount: 0 });
    assert.deepEqual(gzip, { poolSize: 6, ...idle });
    assert.deepEqual(Object.keys(others), ['delivery b']);
    await host.stop(0);
  });

  test('that a revision takes away are gone', async () => {
    const host = createHost();
    await activate(host, deployed('a', contentOf({})));
    await activate(host);
    assert.equal(host.find('a'), undefined);
    assert.deepEqual(host.states(), []);
    await host.stop(0);
  });

  test('cannot be built of a store that does not open; what runs goes on', async () => {
    const host = createHost();
    await activate(host, deployed('a', contentOf({})));
    const { engine } = host.find('a')!;
    const broken = contentOf(
      { keyStoreName: 'ours' },
      { keyStore: { name: 'ours', type: 'PKCS12', content: 'AAAA', password: 'hidden' } },
    );
    await assert.rejects(
      host.build([deployed('a', contentOf({ timeout: 9 })), deployed('b', broken)]),
      (error) => {
        assert.ok(error instanceof BuildFailed);
        assert.match(error.message, /^Connection \(name: b\): /);
        assert.doesNotMatch(error.message, /hidden/);
        return true;
      },
    );
    assert.equal(host.find('a')!.engine, engine);
    assert.equal(engine.state().isStopping, false);
    await host.stop(0);
  });

  test('use their trust store and key store', async () => {
    await using target = await FaultyTarget.start(answers(200), {
      tls: {
        ...localhostIdentity,
        requestCert: true,
        rejectUnauthorized: true,
        ca: strangerIdentity.cert,
      },
    });
    const host = createHost();
    const named = { fullUrl: target.url, trustStoreName: 'store', keyStoreName: 'store' };
    const stores = {
      trustStore: pem(localhostIdentity.cert),
      keyStore: pem(strangerIdentity.cert + strangerIdentity.key),
    };
    const signal = AbortSignal.timeout(20_000);
    const known = await host.test(contentOf(named, stores), signal);
    assert.deepEqual([known.success, known.statusCode], [true, 200], known.detail);
    const strange = await host.test(
      contentOf(named, { ...stores, trustStore: pem(strangerIdentity.cert) }),
      signal,
    );
    assert.deepEqual([strange.failedPhase, strange.reason], ['tls', 'tls-issuer-unknown']);
    const nobody = await host.test(
      contentOf({ ...named, keyStoreName: null }, { trustStore: stores.trustStore }),
      signal,
    );
    assert.deepEqual(
      [nobody.success, nobody.errorClass],
      [false, 'authentication-failed'],
      JSON.stringify(nobody),
    );
    await host.stop(0);
  });

  test('are shown to Prometheus', async () => {
    await using target = await FaultyTarget.start([answers(200), answers(400)]);
    const host = createHost();
    await activate(host, { ...deployed('a', contentOf({ fullUrl: target.url })), projectName: 'Default' });
    const { engine } = host.find('a')!;
    for (let n = 0; n < 2; n++) {
      await engine.offer({ record: { n } });
      await target.untilRequests(n + 1);
    }
    while (engine.counters().pending > 0) await systemClock.sleep(5);
    const registry = new Registry();
    const logs = { states: () => [] } as unknown as LogRouter;
    const deployments = { revision: 7 } as Deployments;
    registerDeliveryMetrics(registry, () => ({ connections: host, logs, deployments }));
    // Asked twice, nothing is counted twice.
    await registry.metrics();
    const text = await registry.metrics();
    const place = 'connection="a",project="Default"';
    for (const line of [
      'gatehouse_deployment_revision 7',
      `gatehouse_delivery_events_total{${place},outcome="accepted",reason=""} 2`,
      `gatehouse_delivery_events_total{${place},outcome="delivered",reason=""} 1`,
      `gatehouse_delivery_events_total{${place},outcome="dropped",reason="status-400"} 1`,
      `gatehouse_delivery_attempts_total{${place},result="ok"} 1`,
      `gatehouse_delivery_circuit{${place},state="off"} 1`,
      `gatehouse_delivery_circuit{${place},state="open"} 0`,
      `gatehouse_delivery_pending_events{${place}} 0`,
      `gatehouse_delivery_buffer_bytes{${place}} 0`,
    ])
      assert.ok(text.split('\n').includes(line), `${line} in\n${text}`);
    await host.stop(1000);
  });
});

describe('a single contact', () => {
  test('of a connection whose store does not open fails before any contact', async () => {
    await using target = await FaultyTarget.start(answers(200));
    const host = createHost();
    const content = contentOf(
      { fullUrl: target.url, trustStoreName: 'store' },
      { trustStore: pem('no certificate') },
    );
    const { success, failedPhase, errorClass } = await host.test(content, AbortSignal.timeout(5000));
    assert.deepEqual([success, failedPhase, errorClass], [false, 'prepare', 'configuration']);
    assert.equal(target.socketCount, 0);
  });

  test('leaves no connection open', async () => {
    await using target = await FaultyTarget.start(answers(204));
    const host = createHost();
    const result = await host.test(contentOf({ fullUrl: target.url }), AbortSignal.timeout(5000));
    assert.deepEqual([result.success, result.statusCode], [true, 204]);
    while (target.openSocketCount > 0) await systemClock.sleep(5);
    assert.equal(target.socketCount, 1);
  });
});
