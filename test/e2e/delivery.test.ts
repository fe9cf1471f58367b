import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { FakeCollector } from '../../src/delivery/testing/fake-collector.ts';
import { answers, FaultyTarget, hangs } from '../../src/delivery/testing/faulty-target.ts';
import { openUnsentSource } from '../../src/store/unsent/open-unsent-source.ts';
import { PlatformProcesses, until } from '../support/platform-processes.ts';
import { parsePrometheusText } from '../support/prometheus-text.ts';

const SECRET = 'only-for-the-collector';
const LOG_CONNECTORS = '/apiops/environments/Development/log-connectors/';

// biome-ignore lint/suspicious/noExplicitAny: the test looks into answers of every shape.
type Json = any;

/** A Manager and two Workers as three processes that deliver logs to targets which count who comes. */
describe('log delivery', () => {
  let platform: PlatformProcesses;
  let collector: FakeCollector;
  let spare: FaultyTarget;
  let fragile: FaultyTarget;

  before(async () => {
    collector = await FakeCollector.start({ token: SECRET, usesAck: true });
    spare = await FaultyTarget.start(answers(200));
    fragile = await FaultyTarget.start(answers(200));
    platform = await PlatformProcesses.start({ workers: ['w-1', 'w-2'] });
  });
  after(async () => {
    await platform.stop();
    for (const target of [collector, spare, fragile]) await target[Symbol.asyncDispose]();
  });

  const saveAndDeploy = async (name: string, parameters: object) => {
    const { deploymentResult } = await platform.ok('POST', `/apiops/connections/${name}/`, {
      type: 'webhook',
      environmentName: 'Development',
      httpMethod: 'POST',
      deploy: true,
      ...parameters,
    });
    assert.equal(deploymentResult.success, true, JSON.stringify(deploymentResult));
    return deploymentResult;
  };
  const connect = (kind: string, connector: object) =>
    platform.ok('PUT', `${LOG_CONNECTORS}${kind}/`, connector);
  const deploy = async () => (await platform.ok('POST', `${LOG_CONNECTORS}deploy/`)).deploymentResult;
  const sample = (kind: string, count: number, podName?: string) =>
    platform.ok('POST', `${LOG_CONNECTORS}${kind}/send-samples/`, { count, ...(podName && { podName }) });
  /** How the connection of one kind fares on one pod. */
  const fares = async (kind: string, podName: string): Promise<Json> => {
    const { pods } = await platform.ok('GET', `${LOG_CONNECTORS}runtime/`);
    const pod = pods.find((one: Json) => one.podName === podName);
    const { connection } = pod.connectors.find((one: Json) => one.kind === kind);
    const { accepted, delivered, failedOver, unsent, dropped, pending } = connection.counters;
    const lost = Object.values(dropped as Record<string, number>).reduce((sum, events) => sum + events, 0);
    assert.equal(accepted, delivered + failedOver + unsent + lost + pending, 'nothing is lost silently');
    return connection;
  };
  const recordsOf = (logType: string): Json[] =>
    collector.events.map(({ event }) => event as Json).filter((event) => event.logType === logType);

  test('is set up with connections and log connectors, and each pod says what it made of them', async () => {
    await saveAndDeploy('siem', {
      fullUrl: collector.url,
      headerList: [{ name: 'Authorization', value: `Splunk ${SECRET}` }],
      ...{ batchEnabled: true, batchMaxDelayMs: 50, eventCollectorEnabled: true, useAck: true },
      ...{ eventCollectorSource: 'gatehouse', eventCollectorIndex: 'security' },
      ...{ maxRetryCount: 0, connectTimeoutSeconds: 1 },
    });
    await saveAndDeploy('spare', { fullUrl: spare.url });
    const connector = {
      connection: { name: 'siem' },
      failoverConnection: { name: 'spare' },
      keepUnsent: true,
    };
    await connect('token', connector);
    await connect('audit', connector);
    const before = await platform.ok('GET', LOG_CONNECTORS);
    assert.deepEqual([before.total, before.deployment.redeployRequired], [2, true]);
    const result = await deploy();
    assert.deepEqual(
      result.detailList.map(({ podName, success }: Json) => [podName, success]),
      [
        ['w-1', true],
        ['w-2', true],
      ],
    );
    const { deployment } = await platform.ok('GET', LOG_CONNECTORS);
    assert.deepEqual([deployment.deployed, deployment.redeployRequired], [true, false]);
    assert.equal(collector.socketCount, 0);
  });

  test('a connection that delivers logs can not be deleted, nor get a method without a body', async () => {
    const removal = await platform.send('DELETE', '/apiops/connections/siem/');
    assert.equal(removal.status, 400);
    assert.match(
      removal.json.resultMessage,
      /used by log connector audit \(Development\), log connector token/,
    );
    const change = await platform.send('PUT', '/apiops/connections/siem/', {
      environmentName: 'Development',
      httpMethod: 'GET',
    });
    assert.equal(change.status, 400, JSON.stringify(change.json));
    assert.match(change.json.resultMessage, /GET/);
  });

  test("the Manager's token and audit records reach the collector and are acknowledged", async () => {
    await platform.signIn();
    await platform.signIn('wrong');
    await platform.ok('POST', '/apiops/projects/', { name: 'Payments' });
    await until('the records at the collector', () =>
      recordsOf('audit').some(({ object }) => object.name === 'Payments'),
    );
    await until('the acknowledgements', async () => (await fares('audit', 'm-1')).counters.pending === 0);
    const [issued, refused] = ['SUCCESS', 'FAILURE'].map((result) =>
      recordsOf('token').find((record) => record.result === result),
    );
    const { aci, issued: issuedAt, expires, ...token } = issued;
    assert.match(aci, /^[0-9a-f]{24}$/);
    assert.equal(Date.parse(expires) - Date.parse(issuedAt), 3_600_000);
    assert.deepEqual([token.environment, token.user, token.tokenType], ['Development', 'admin', 'Bearer']);
    assert.ok(Date.parse(token['@timestamp']) >= Date.parse(issuedAt));
    assert.deepEqual([refused.user, refused.issued], ['admin', undefined]);
    const project = recordsOf('audit').find(({ object }) => object.name === 'Payments');
    assert.deepEqual([project.user, project.action, project.object.type], ['admin', 'CREATE', 'project']);
    // The journal leads to the record and back.
    const { items } = await platform.ok('GET', '/apiops/journals/audit/?size=1');
    assert.equal(items[0].id, project.aci);
    assert.deepEqual(collector.refusals, []);
    assert.ok(collector.events.every(({ source, index }) => source === 'gatehouse' && index === 'security'));
    assert.doesNotMatch(JSON.stringify(collector.events), /only-for-the-collector|correct horse/);
    const { counters } = await fares('audit', 'm-1');
    assert.equal(counters.delivered, counters.accepted);
    assert.equal(counters.queued, 0, 'indexed, not only queued');
  });

  test('each pod has a channel and counters of its own, by API and in its metrics', async () => {
    await sample('audit', 3);
    for (const podName of ['w-1', 'w-2'])
      await until(
        `the samples of ${podName}`,
        async () => (await fares('audit', podName)).counters.delivered === 3,
      );
    assert.equal(collector.channels.size, 3);
    const pods = new Set(collector.events.map(({ event }) => (event as Json).pod));
    for (const podName of ['m-1', 'w-1', 'w-2']) assert.ok(pods.has(podName), podName);
    const deliveredBy = async (podName?: string) =>
      parsePrometheusText(await platform.metrics(podName)).find(
        ({ name, labels }) =>
          name === 'gatehouse_delivery_events_total' &&
          labels.connection === 'siem' &&
          labels.outcome === 'delivered',
      )?.value;
    assert.equal(await deliveredBy('w-1'), 3);
    assert.equal(await deliveredBy(), (await fares('audit', 'm-1')).counters.delivered);
  });

  test('the circuit of one pod opens, and neither the other pod nor the target notices', async () => {
    await saveAndDeploy('fragile', {
      fullUrl: fragile.url,
      ...{ maxRetryCount: 0, circuitBreakerEnabled: true, errorThresholdValue: 2, sleepWindow: 3 },
    });
    await connect('traffic', { connection: { name: 'fragile' } });
    await deploy();
    fragile.reactions = [answers(500)];
    await sample('traffic', 2, 'w-1');
    await until('the open circuit', async () => (await fares('traffic', 'w-1')).state.circuit === 'open');
    fragile.reactions = [answers(200)];
    const { length: requests } = fragile.requests;
    assert.equal(requests, 2);
    const { socketCount } = fragile;
    await sample('traffic', 5, 'w-1');
    await until(
      'the drops',
      async () => (await fares('traffic', 'w-1')).counters.dropped['circuit-open'] === 5,
    );
    assert.deepEqual(
      [fragile.requests.length, fragile.socketCount],
      [requests, socketCount],
      'not contacted',
    );
    await sample('traffic', 1, 'w-2');
    await until('the delivery', async () => (await fares('traffic', 'w-2')).counters.delivered === 1);
    const circuits = await Promise.all(['w-1', 'w-2', 'm-1'].map((podName) => fares('traffic', podName)));
    assert.deepEqual(
      circuits.map(({ state }) => [state.circuit, state.circuitOpenings]),
      [
        ['open', 1],
        ['closed', 0],
        ['closed', 0],
      ],
    );
  });

  test('after the sleep window a single attempt closes the circuit', async () => {
    await until('the closed circuit', async () => {
      const { counters, state } = await fares('traffic', 'w-1');
      if (state.circuit === 'closed') return true;
      await sample('traffic', 1, 'w-1');
      assert.ok(counters.attempts.ok === undefined);
      return false;
    });
    assert.equal((await fares('traffic', 'w-1')).counters.delivered, 1);
  });

  test('a pod that is killed is named, the other goes on, and one that comes back has a circuit of its own', async () => {
    fragile.reactions = [answers(500)];
    await sample('traffic', 2, 'w-2');
    await until('the open circuit', async () => (await fares('traffic', 'w-2')).state.circuit === 'open');
    await platform.killWorker('w-2');
    fragile.reactions = [answers(200)];
    const { pods } = await sample('traffic', 1);
    const byName = Object.fromEntries(pods.map((pod: Json) => [pod.podName, pod]));
    assert.match(byName['w-2'].error, /^The pod does not answer: /);
    assert.deepEqual([byName['w-1'].isSent, byName['w-1'].accepted], [true, 1]);
    const result = await deploy();
    assert.deepEqual([result.success, result.detail], [false, 'Failed on 1 of 2 pods: w-2.']);
    await platform.startWorker('w-2');
    assert.equal((await fares('traffic', 'w-2')).state.circuit, 'closed');
    await sample('traffic', 1, 'w-2');
    await until('the delivery', async () => (await fares('traffic', 'w-2')).counters.delivered === 1);
  });

  test('a disabled connection refuses records with a reason of its own, counted, without contact', async () => {
    await platform.ok('POST', '/apiops/connections/fragile/disable/');
    const contacts = [fragile.requests.length, fragile.socketCount];
    const { pods } = await sample('traffic', 4, 'w-1');
    assert.deepEqual(pods[0].dropped, { disabled: 4 });
    assert.equal((await fares('traffic', 'w-1')).counters.dropped.disabled, 4);
    assert.deepEqual([fragile.requests.length, fragile.socketCount], contacts);
    await platform.ok('POST', '/apiops/connections/fragile/enable/');
    const tried = await sample('traffic', 1, 'w-1');
    assert.equal(tried.pods[0].accepted, 1);
    await until('the contact', () => fragile.requests.length > contacts[0]!);
  });

  test('a pod that is stopped hands to the failover what its target has not taken', async () => {
    await using stuck = await FaultyTarget.start(hangs);
    await saveAndDeploy('stuck', { fullUrl: stuck.url, responseTimeoutSeconds: 3600 });
    await connect('traffic', { connection: { name: 'stuck' }, failoverConnection: { name: 'spare' } });
    await deploy();
    await sample('traffic', 3, 'w-2');
    await stuck.untilRequests(3);
    const traffic = () => spare.records.filter((record) => (record as Json).logType === 'traffic');
    assert.deepEqual(traffic(), []);
    await platform.stopWorker('w-2');
    assert.deepEqual(
      traffic().map((record) => (record as Json).pod),
      ['w-2', 'w-2', 'w-2'],
    );
    await until('the closed sockets', () => stuck.openSocketCount === 0);
  });

  test('while the collector is down records go to the failover, and afterwards to the collector again', async () => {
    const port = Number(new URL(collector.url).port);
    await until('the end of all records', async () => (await fares('token', 'm-1')).counters.pending === 0);
    await collector[Symbol.asyncDispose]();
    const { counters: before } = await fares('token', 'm-1');
    await platform.signIn();
    await until('the record at the failover', () =>
      spare.records.some((record) => (record as Json).logType === 'token'),
    );
    const { counters: during } = await fares('token', 'm-1');
    assert.equal(during.failedOver, before.failedOver + 1);
    collector = await FakeCollector.start({ token: SECRET, usesAck: true, port });
    await platform.signIn();
    await until('the record at the collector', () => recordsOf('token').length > 0);
  });

  test('what neither takes is kept as unsent, with the record as it was', async () => {
    for (const target of [collector, spare]) await target[Symbol.asyncDispose]();
    await platform.signIn();
    await until('the unsent record', async () => {
      const { pods } = await platform.ok('GET', `${LOG_CONNECTORS}runtime/`);
      const { connectors } = pods.find((pod: Json) => pod.podName === 'm-1');
      return connectors[0].failoverConnection.counters.unsent > 0;
    });
    await using source = await openUnsentSource({ dataFolder: platform.data });
    const unsent = await source!.records('UnsentMessage').first();
    const { timestamp, connectorId = '', content = '' } = unsent!;
    assert.match(connectorId, /^[0-9a-f]{24}$/);
    const record = JSON.parse(content);
    assert.equal(record['@timestamp'], timestamp);
    assert.match(record.aci, /^[0-9a-f]{24}$/);
    assert.equal(record.logType, 'token');
  });

  test('errors of connections stand in the message and the deployment journal, once and without secrets', async () => {
    const rowsOf = async (journal: string) =>
      (await platform.ok('GET', `/apiops/journals/${journal}/?size=200`)).items as Json[];
    const messages = await rowsOf('message');
    const refusals = messages.filter(
      ({ source, text }) => source === 'connection siem on m-1' && text.startsWith('connect-refused'),
    );
    assert.equal(refusals.length, 1, JSON.stringify(messages));
    assert.equal(refusals[0].environmentName, 'Development');
    const failures = (await rowsOf('deployment')).filter(
      ({ objectName, podName, detail }) =>
        objectName === 'siem' && podName === 'm-1' && detail.startsWith('connect-refused'),
    );
    assert.equal(failures.length, 1);
    assert.doesNotMatch(JSON.stringify([messages, failures]), /only-for-the-collector|logType/);
  });
});
