import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { GatehouseProcess } from '../support/gatehouse-process.ts';
import { parsePrometheusText } from '../support/prometheus-text.ts';

const PASSWORD = 'correct horse battery staple';
const SECRET = 'Bearer only-for-the-target';
const POD_EXPIRY_MS = 2000;
const CONNECTION = '/apiops/projects/Default/connections/crm/';

/** What a connection leads to: it counts who comes, and answers what it is told. */
async function startTarget() {
  const seen = { sockets: 0, requests: 0, authorization: [] as Array<string | undefined> };
  const answer = { status: 200 };
  const server = createServer((request, response) => {
    seen.requests++;
    seen.authorization.push(request.headers.authorization);
    request.resume().on('end', () => response.writeHead(answer.status).end());
  });
  server.on('connection', () => seen.sockets++);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}/events`, seen, answer, close };
}

/** A Manager and two Workers as three processes on one data folder; Workers come and go. */
describe('deployment to worker pods', () => {
  const data = mkdtempSync(join(tmpdir(), 'gatehouse-deployment-'));
  const workers = new Map<string, GatehouseProcess>();
  let target: Awaited<ReturnType<typeof startTarget>>;
  let manager: GatehouseProcess;
  let managerUrl = '';
  let token = '';

  const argv = (module: string) => [
    module,
    ...['--port', '0', '--data', data, '--pod-expiry', `${POD_EXPIRY_MS}ms`, '--shutdown-timeout', '2s'],
  ];
  const startWorker = async (podName: string, environment: Record<string, string> = {}) => {
    const worker = new GatehouseProcess([...argv('worker'), '--pod-name', podName], {
      GATEHOUSE_LOG_LEVEL: 'silent',
      ...environment,
    });
    workers.set(podName, worker);
    await worker.readyPort('worker');
  };
  const kill = async (podName: string) => {
    const { child } = workers.get(podName)!;
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  };

  before(async () => {
    target = await startTarget();
    manager = new GatehouseProcess(argv('manager'), {
      GATEHOUSE_ADMIN_PASSWORD: PASSWORD,
      GATEHOUSE_LOG_LEVEL: 'error',
    });
    managerUrl = `http://127.0.0.1:${await manager.readyPort('manager')}`;
    const signedIn = await fetch(`${managerUrl}/apiops/auth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: 'admin',
        client_secret: PASSWORD,
      }),
    });
    token = ((await signedIn.json()) as { access_token: string }).access_token;
    await Promise.all([startWorker('w-1'), startWorker('w-2')]);
  });
  after(async () => {
    for (const { child } of workers.values()) child.kill('SIGKILL');
    assert.equal(await manager.stop(), 0, manager.stderr);
    target.close();
    rmSync(data, { recursive: true, force: true });
  });

  async function send(method: string, path: string, body?: object) {
    const response = await fetch(`${managerUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: the test looks into answers of every shape.
    return { status: response.status, json: (await response.json()) as any };
  }
  const ok = async (method: string, path: string, body?: object) => {
    const { status, json } = await send(method, path, body);
    assert.equal(status, 200, JSON.stringify(json));
    return json;
  };
  const environmentStatus = async () =>
    (await ok('GET', '/apiops/environments/Development/')).resultList[0].status;
  const deploymentOf = async () => {
    const [connection] = (await ok('GET', CONNECTION)).resultList;
    return connection.deploymentList.find(
      (one: { environmentName: string }) => one.environmentName === 'Development',
    );
  };
  /** The Manager delivers for this environment, too; here it is about the workers. */
  const onPods = async () =>
    (await ok('GET', `${CONNECTION}runtime/?environment=Development`)).pods.filter(
      (pod: { module: string }) => pod.module === 'worker',
    );
  const worker = async (podName: string, path: string, init?: RequestInit) => {
    const port = await workers.get(podName)!.readyPort('worker');
    return fetch(`http://127.0.0.1:${port}${path}`, init);
  };
  const until = async (what: string, isSo: () => Promise<boolean>) => {
    const deadlineMs = Date.now() + 30_000;
    while (!(await isSo())) {
      assert.ok(Date.now() < deadlineMs, `${what} does not come true`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  /** The results of pods by their names. */
  const byPod = (pods: ReadonlyArray<{ podName: string; success: boolean; detail: string }>) =>
    Object.fromEntries(pods.map((pod) => [pod.podName, pod]));

  test('Save and Deploy answers with a result of each pod, and contacts nobody', async () => {
    assert.equal(await environmentStatus(), 'UNPUBLISHED');
    const { deploymentResult } = await ok('POST', CONNECTION, {
      type: 'webhook',
      environmentName: 'Development',
      httpMethod: 'POST',
      fullUrl: target.url,
      headerList: [{ name: 'Authorization', value: SECRET }],
      responseTimeoutSeconds: null,
      timeout: 4,
      deploy: true,
    });
    assert.deepEqual([deploymentResult.envName, deploymentResult.success], ['Development', true]);
    assert.equal(deploymentResult.detail, 'Runs on 2 pods.');
    assert.deepEqual(
      deploymentResult.detailList.map(({ responseTime, ...pod }: { responseTime: number }) => {
        assert.equal(typeof responseTime, 'number');
        return pod;
      }),
      ['w-1', 'w-2'].map((podName) => ({
        envName: 'Development',
        podName,
        podIp: '127.0.0.1',
        success: true,
        detail: 'Revision 1 runs.',
      })),
    );
    assert.equal(target.seen.sockets, 0);
    assert.equal(await environmentStatus(), 'PUBLISHED');
    const { deployed, redeployRequired, revision } = await deploymentOf();
    assert.deepEqual([deployed, redeployRequired, revision], [true, false, 1]);
  });

  test('the pods show what they run, with the effective parameters and without secrets', async () => {
    const pods = await onPods();
    assert.deepEqual(
      pods.map(({ podName, revision }: { podName: string; revision: number }) => [podName, revision]),
      [
        ['w-1', 1],
        ['w-2', 1],
      ],
    );
    const { connection } = pods[0];
    assert.equal(connection.effectiveParameters.responseTimeoutSeconds, 4);
    assert.deepEqual([connection.counters.accepted, connection.state.circuit], [0, 'off']);
    assert.doesNotMatch(JSON.stringify(pods), /only-for-the-target/);
    const samples = parsePrometheusText(await (await worker('w-1', '/metrics')).text());
    const revision = samples.find(({ name }) => name === 'gatehouse_deployment_revision');
    assert.equal(revision?.value, 1);
    const buffer = samples.find(({ name }) => name === 'gatehouse_delivery_buffer_max_bytes');
    assert.deepEqual([buffer?.labels.connection, buffer?.value], ['crm', 33_554_432]);
  });

  test('Test Connection contacts the real endpoint once, from a pod, with the stored secret', async () => {
    const result = await ok('POST', `${CONNECTION}test-connection/`, { environmentName: 'Development' });
    assert.deepEqual([result.success, result.statusCode, result.envName], [true, 200, 'Development']);
    assert.match(result.podName, /^w-[12]$/);
    assert.equal(typeof result.phases.connect, 'number');
    assert.deepEqual(target.seen, { sockets: 1, requests: 1, authorization: [SECRET] });
  });

  test('Test Connection tells in which phase it failed, and how that is classified', async () => {
    const tryOut = (parameters: object) =>
      ok('POST', '/apiops/projects/Default/connections/test-connection/', {
        environmentName: 'Development',
        httpMethod: 'POST',
        ...parameters,
      });
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    closed.close();
    await once(closed, 'close');
    const told = async (fullUrl: string) => {
      const { success, failedPhase, reason, errorClass } = await tryOut({ fullUrl });
      return { success, failedPhase, reason, errorClass };
    };
    assert.deepEqual(await told(`http://127.0.0.1:${port}/`), {
      success: false,
      failedPhase: 'connect',
      reason: 'connect-refused',
      errorClass: 'target-5xx',
    });
    target.answer.status = 403;
    assert.deepEqual(await told(target.url), {
      success: false,
      failedPhase: 'status',
      reason: 'status-403',
      errorClass: 'authentication-failed',
    });
    target.answer.status = 200;
    const { failedPhase, errorClass } = await told(['http://127.0.0.1/', '{nowhere}'].join('$'));
    assert.deepEqual([failedPhase, errorClass], ['prepare', 'configuration']);
    // Credentials of machines are never fetched, whoever asks.
    assert.equal((await told('http://169.254.169.254/latest/')).reason, 'address-refused');
  });

  test('a change reaches the pods with the next deployment, not before', async () => {
    await ok('PUT', CONNECTION, { environmentName: 'Development', timeout: 7 });
    assert.equal((await deploymentOf()).redeployRequired, true);
    assert.equal(await environmentStatus(), 'REPUBLISH_REQUIRED');
    const timeouts = async () =>
      (await onPods()).map(
        (pod: { connection: { effectiveParameters: { timeout: number } } }) =>
          pod.connection.effectiveParameters.timeout,
      );
    assert.deepEqual(await timeouts(), [4, 4]);
    await ok('POST', `${CONNECTION}deploy/?environment=Development`);
    assert.deepEqual(await timeouts(), [7, 7]);
    assert.equal((await deploymentOf()).redeployRequired, false);
    assert.equal(await environmentStatus(), 'PUBLISHED');
  });

  test('a pod that was killed is in the result with what went wrong; the other one runs the revision', async () => {
    await kill('w-2');
    const deploymentResult = await ok('POST', `${CONNECTION}deploy/?environment=Development`);
    const pods = byPod(deploymentResult.detailList);
    assert.equal(deploymentResult.success, false);
    assert.equal(deploymentResult.detail, 'Failed on 1 of 2 pods: w-2.');
    assert.equal(pods['w-1']?.success, true);
    assert.equal(pods['w-2']?.success, false);
    assert.match(pods['w-2']?.detail ?? '', /^The pod does not answer: /);
    const runtime = await onPods();
    assert.equal(runtime[0].revision, 3);
    assert.match(runtime[1].error, /^The pod does not answer: /);
    // Test Connection finds the one that is alive, whichever is asked first.
    for (let count = 0; count < 2; count++) {
      const result = await ok('POST', `${CONNECTION}test-connection/`, { environmentName: 'Development' });
      assert.deepEqual([result.success, result.podName], [true, 'w-1']);
    }
    await until('the end of w-2', async () => (await onPods()).length === 1);
  });

  test('a pod that starts is ready only with the current revision', async () => {
    await startWorker('w-2');
    const health = await (await worker('w-2', '/gateway/management/health')).json();
    assert.deepEqual((health as { checks: { revision: unknown } }).checks.revision, {
      status: 'UP',
      detail: 'revision 3',
    });
  });

  test('disabling reaches the pods at once; Test Connection still works', async () => {
    const { requests } = target.seen;
    const { deploymentResult } = await ok('POST', `${CONNECTION}disable/`);
    assert.deepEqual(
      [deploymentResult.success, deploymentResult.detailList.length],
      [true, 2],
      JSON.stringify(deploymentResult),
    );
    const isEnabled = async () =>
      (await onPods()).map(
        (pod: { connection: { state: { isEnabled: boolean } } }) => pod.connection.state.isEnabled,
      );
    assert.deepEqual(await isEnabled(), [false, false]);
    assert.equal((await deploymentOf()).redeployRequired, false);
    const result = await ok('POST', `${CONNECTION}test-connection/`, { environmentName: 'Development' });
    assert.equal(result.success, true);
    assert.equal(target.seen.requests, requests + 1);
    await ok('POST', `${CONNECTION}enable/`);
    assert.deepEqual(await isEnabled(), [true, true]);
  });

  test('a pod with another master key is not ready, and the deployment says so', async () => {
    await startWorker('w-3', { GATEHOUSE_MASTER_KEY: randomBytes(32).toString('hex') });
    assert.equal((await worker('w-3', '/gateway/management/health')).status, 503);
    const deploymentResult = await ok('POST', `${CONNECTION}deploy/?environment=Development`);
    const pods = byPod(deploymentResult.detailList);
    assert.deepEqual([pods['w-1']?.success, pods['w-2']?.success, pods['w-3']?.success], [true, true, false]);
    assert.match(pods['w-3']?.detail ?? '', /another master key/);
    assert.equal(await workers.get('w-3')!.stop(), 0);
  });

  test('the internal endpoints are closed to everybody else', async () => {
    const body = JSON.stringify({ revision: 1 });
    for (const authorization of ['', `Bearer ${token}`, 'Gatehouse-Channel v1.1.2.3.4']) {
      const init = { method: 'POST', body, headers: { authorization } };
      assert.equal((await worker('w-1', '/gateway/internal/revisions/', init)).status, 401);
    }
    assert.equal((await worker('w-1', '/gateway/internal/state/')).status, 401);
  });

  test('what each pod said stands in the deployment journal, without secrets', async () => {
    const { items } = await ok('GET', '/apiops/journals/deployment/?size=100');
    const failures = items.filter((row: { result: string }) => row.result === 'FAILURE');
    assert.deepEqual(
      failures.map((row: { podName: string; objectName: string }) => [row.podName, row.objectName]),
      [
        ['w-3', 'crm'],
        ['w-2', 'crm'],
      ],
    );
    assert.doesNotMatch(JSON.stringify(items), /only-for-the-target/);
  });

  test('without a live pod deploying is refused, and nothing is changed by it', async () => {
    await Promise.all([kill('w-1'), kill('w-2')]);
    await until('the end of all pods', async () => (await onPods()).length === 0);
    const before = await deploymentOf();
    const newer = await send('POST', `${CONNECTION}deploy/?environment=Development`);
    assert.deepEqual([newer.status, newer.json.errorKey], [409, 'NO_LIVE_POD']);
    const older = await send('PUT', CONNECTION, { environmentName: 'Development', timeout: 9, deploy: true });
    assert.equal(older.status, 400);
    assert.match(older.json.resultMessage, /Environment \(Development\) has no live worker pod!/);
    const tried = await send('POST', `${CONNECTION}test-connection/`, { environmentName: 'Development' });
    assert.deepEqual([tried.status, tried.json.errorKey], [409, 'NO_LIVE_POD']);
    const { revision } = await deploymentOf();
    assert.equal(revision, before.revision);
  });

  test('deleting works without pods, and those that start later do not get the connection', async () => {
    await ok('DELETE', CONNECTION);
    assert.equal(await environmentStatus(), 'UNPUBLISHED');
    await startWorker('w-1');
    const samples = parsePrometheusText(await (await worker('w-1', '/metrics')).text());
    assert.equal(
      samples.some(({ labels }) => labels.connection === 'crm'),
      false,
    );
  });
});
