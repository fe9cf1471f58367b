import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { HprofFile } from '../../src/diagnostics/hprof/testing/hprof-reader.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { rawRequest } from '../../src/kernel/testing/raw-client.ts';
import { findEnvironment } from '../../src/platform/find-environment.ts';
import { openStore } from '../../src/store/open-store.ts';
import { PodRegistry } from '../../src/store/pods.ts';
import { GatehouseProcess } from '../support/gatehouse-process.ts';
import { until } from '../support/process-usage.ts';

const data = mkdtempSync(join(tmpdir(), 'gatehouse-processes-'));
const running: GatehouseProcess[] = [];
const gatehouse = (...argv: string[]) => {
  const started = new GatehouseProcess([...argv, '--port', '0', '--data', data, '--log-level', 'fatal']);
  running.push(started);
  return started;
};
let worker: GatehouseProcess;
let port: number;
let environmentId: string;
before(async () => {
  await gatehouse('manager').readyPort('manager');
  worker = gatehouse('worker', '--processes', '2', '--pod-name', 'w');
  port = await worker.readyPort('worker');
  const store = await openStore({ dataFolder: data });
  environmentId = (await findEnvironment(store, 'Development')).id;
  await store.close();
});
after(() => {
  for (const { child } of running) child.kill('SIGKILL');
  rmSync(data, { recursive: true, force: true });
});

/** On a connection of its own, so that any of the processes may answer. */
async function call(method: string, path: string) {
  const head = [`${method} ${path} HTTP/1.1`, 'Host: test', 'Connection: close', 'Content-Length: 0'];
  const request = [...head, `Authorization: ${environmentId}`, '', ''].join('\r\n');
  const { status, body } = await rawRequest(port, request, { waitMs: 5_000 });
  return { status, json: JSON.parse(body.toString()) };
}
const lost = { status: 0, json: undefined };
const diagnostics = (path: string) => call('GET', `/gateway/diagnostics/${path}`);

interface ProcessReport {
  readonly process: number;
  readonly processId: number;
  readonly error?: string;
  readonly jvm?: { readonly memory: { readonly heap: { readonly used: number; readonly max: number } } };
}

describe('a worker pod of several processes', () => {
  test('is one pod', async () => {
    const store = await openStore({ dataFolder: data });
    const pods = await new PodRegistry(store, systemClock).live('worker');
    await store.close();
    assert.deepEqual(
      pods.map(({ podName, address }) => [podName, address]),
      [['w', `http://127.0.0.1:${port}`]],
    );
  });

  test('sums its processes and lists them, whichever answers', async () => {
    for (let round = 0; round < 6; round++) {
      const { json } = await diagnostics('jvm');
      assert.equal(json.pods.length, 1);
      const [{ jvm, processes, error }] = json.pods;
      assert.equal(error, undefined);
      assert.deepEqual(
        processes.map(({ process }: ProcessReport) => process),
        [0, 1],
      );
      assert.equal(new Set(processes.map(({ processId }: ProcessReport) => processId)).size, 2);
      for (const figure of ['used', 'max'] as const) {
        const sum = processes.reduce(
          (total: number, one: ProcessReport) => total + one.jvm!.memory.heap[figure],
          0,
        );
        assert.equal(jvm.memory.heap[figure], sum);
      }
    }
  });

  test('has the threads of all processes in its dump, and the connections of all in their number', async () => {
    const { json } = await diagnostics('all?internal=true');
    const mains = json.threadDump.filter(({ threadName }: { threadName: string }) => threadName === 'main');
    assert.equal(mains.length, 2);
    assert.equal(json.connections.listeners.length, 1);
    assert.ok(json.connections.active >= 1);
    assert.equal(json.health.status, 'UP');
    assert.equal(json.health.checks.revision?.status ?? 'UP', 'UP');
  });

  test('answers for one process by its number, whichever the request reaches', async () => {
    const seen = new Set<string>();
    for (let round = 0; round < 8; round++) {
      const { status, json } = await diagnostics(`env?process=${round % 2}`);
      assert.equal(status, 200);
      assert.equal(json.processes, undefined);
      seen.add(`${round % 2} ${json.env.systemProperties['process.id']}`);
    }
    assert.equal(seen.size, 2);
    assert.equal((await diagnostics('env?process=2')).status, 400);
  });

  test('has the heap, profiles and stalls of one process by its number, the first unless one is named', async () => {
    const { json } = await diagnostics('jvm?internal=true');
    const ids = json.processes.map(({ processId }: ProcessReport) => processId);
    for (let round = 0; round < 8; round++) {
      const chosen = round % 2;
      assert.equal((await diagnostics(`stalls?process=${chosen}`)).json.processId, ids[chosen]);
      assert.equal((await diagnostics('stalls')).json.processId, ids[0]);
    }
    // Only the first process delivers.
    for (const [query, delivers] of [
      ['', true],
      ['?process=1', false],
    ] as const) {
      const url = `http://127.0.0.1:${port}/gateway/diagnostics/heapdump${query}`;
      const answer = await fetch(url, { headers: { authorization: environmentId, connection: 'close' } });
      assert.equal(answer.status, 200);
      const { classes } = new HprofFile(Buffer.from(await answer.arrayBuffer()));
      const names = [...classes.values()].map(({ name }) => name);
      assert.equal(names.includes('ConnectionHost'), delivers);
    }
    assert.equal((await diagnostics('heapdump?process=2')).status, 400);
  });

  test('tells Prometheus of all processes, whichever a scraper reaches', async () => {
    for (let round = 0; round < 6; round++) {
      const answer = await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { connection: 'close' } });
      const text = await answer.text();
      // Only the first process delivers.
      assert.match(text, /^gatehouse_deployment_revision\{module="worker"\} 0$/m);
      // Each scrape makes one request to the process that it reached, and one from there to the other.
      const [, requests] = /duration_seconds_count\{endpoint="module-metrics",.*\} (\d+)$/m.exec(text) ?? [];
      if (round > 1) assert.ok(Number(requests) >= 2 * (round - 1), `${requests} in round ${round}`);
    }
  });

  test('takes internal calls in any process: the first one judges them', async () => {
    for (let round = 0; round < 6; round++) {
      const { status, json } = await call('POST', '/gateway/internal/revisions/');
      assert.deepEqual([status, json.errorKey], [401, 'CHANNEL_REFUSED']);
    }
  });

  test('says of a process that died what is missing, and has it again soon', async () => {
    const { json } = await diagnostics('jvm?internal=true');
    process.kill(json.processes[1].processId, 'SIGKILL');
    await until(
      'both processes are there again',
      async () => {
        // A connection that was on its way to the process when that died is lost with it.
        const { status, json: report } = await diagnostics('jvm?internal=true').catch(() => lost);
        if (status === 0) return false;
        assert.equal(status, 200);
        return report.error === undefined && report.processes[1].processId !== json.processes[1].processId;
      },
      30_000,
    );
  });

  test('stops with 0, and takes itself out', async () => {
    assert.equal(await worker.stop(), 0);
    const store = await openStore({ dataFolder: data });
    assert.deepEqual(await new PodRegistry(store, systemClock).live('worker'), []);
    await store.close();
  });

  test('says in one line why it cannot start', async () => {
    const refused = gatehouse('worker', '--processes', '2', '--environment', 'Nowhere');
    assert.equal(await refused.exitCode(), 2);
    assert.match(refused.stderr, /^gatehouse: environment 'Nowhere' is not known; known are [^\n]*\n$/);
  });
});
