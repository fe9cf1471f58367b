import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { HprofFile } from '../../src/diagnostics/hprof/testing/hprof-reader.ts';
import { TEST_ENVIRONMENT_ID } from '../../src/diagnostics/testing/start-diagnosed-module.ts';
import { journalCollection, type StoredJournalRow } from '../../src/model/journal.ts';
import { findEnvironment } from '../../src/platform/find-environment.ts';
import { openStore } from '../../src/store/open-store.ts';
import { GatehouseProcess } from '../support/gatehouse-process.ts';
import { until } from '../support/process-usage.ts';

/** As an operator reads them (spec 2 §4.3). */
interface PodReport {
  readonly podName: string;
  readonly error?: string;
  readonly jvm?: { readonly memory: { readonly heap: { readonly used: number; readonly max: number } } };
  readonly threadDump?: ReadonlyArray<{ readonly threadName: string; readonly stackTrace: string[] }>;
  readonly connections?: { readonly active: number; readonly idle: number };
}

const POD_EXPIRY_MS = 6_000;
const data = mkdtempSync(join(tmpdir(), 'gatehouse-diagnostics-'));
/** Where the pods would put files for a moment. */
const temporary = join(data, 'temporary');
mkdirSync(temporary);
const running = new Map<string, { readonly process: GatehouseProcess; readonly port: number }>();
let environmentId: string;
let otherEnvironmentId: string;

async function startPod(module: string, podName: string, ...flags: string[]): Promise<void> {
  const process = new GatehouseProcess(
    [module, '--port', '0', '--data', data, '--pod-name', podName, ...flags],
    {
      GATEHOUSE_LOG_LEVEL: 'error',
      GATEHOUSE_POD_EXPIRY: `${POD_EXPIRY_MS}ms`,
      TMPDIR: temporary,
      NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'),
    },
  );
  running.set(podName, { process, port: 0 });
  running.set(podName, { process, port: await process.readyPort(module) });
}

const ask = (podName: string, path: string, id = environmentId) =>
  fetch(`http://127.0.0.1:${running.get(podName)!.port}/gateway/diagnostics/${path}`, {
    headers: { authorization: id },
  });
async function podsOf(podName: string, path: string): Promise<PodReport[]> {
  const answer = await ask(podName, path);
  assert.equal(answer.status, 200);
  return ((await answer.json()) as { pods: PodReport[] }).pods;
}
const namesOf = (pods: readonly PodReport[]) => pods.map(({ podName }) => podName);

describe('diagnostics of several pods', () => {
  before(async () => {
    await startPod('manager', 'manager');
    await Promise.all([
      ...['worker-a', 'worker-b', 'worker-c'].map((name) => startPod('worker', name)),
      ...['cache-a', 'cache-b'].map((name) => startPod('cache', name)),
      startPod('worker', 'worker-elsewhere', '--environment', 'Test'),
    ]);
    const store = await openStore({ dataFolder: data });
    environmentId = (await findEnvironment(store, 'Development')).id;
    otherEnvironmentId = (await findEnvironment(store, 'Test')).id;
    await store.close();
  });
  after(() => {
    for (const { process } of running.values()) process.child.kill('SIGKILL');
    rmSync(data, { recursive: true, force: true });
  });

  test('every worker answers for all workers of its environment, whichever is asked', async () => {
    for (const asked of ['worker-a', 'worker-b', 'worker-c']) {
      const pods = await podsOf(asked, 'jvm');
      assert.deepEqual(namesOf(pods), ['worker-a', 'worker-b', 'worker-c']);
      for (const { jvm, error } of pods) {
        assert.equal(error, undefined);
        assert.ok(jvm!.memory.heap.used > 0 && jvm!.memory.heap.used < jvm!.memory.heap.max);
      }
    }
  });

  test('caches are asked among themselves', async () => {
    assert.deepEqual(namesOf(await podsOf('cache-b', 'health')), ['cache-a', 'cache-b']);
  });

  test('each pod has its own thread dump and connections in what all of them tell', async () => {
    const pods = await podsOf('worker-a', 'all');
    for (const { threadDump, connections } of pods) {
      assert.ok(threadDump!.some(({ threadName }) => threadName === 'main'));
      // The one that asks and the one that is asked by it both hold a connection.
      assert.ok(connections!.active >= 1);
      assert.equal(typeof connections!.idle, 'number');
    }
  });

  test('internal=true is about the addressed pod alone', async () => {
    const report = (await (await ask('worker-b', 'jvm?internal=true')).json()) as PodReport;
    assert.equal(report.podName, 'worker-b');
  });

  test('the id of one environment opens no pod of another', async () => {
    assert.equal((await ask('worker-a', 'jvm', otherEnvironmentId)).status, 401);
    assert.equal((await ask('worker-elsewhere', 'jvm', environmentId)).status, 401);
    assert.equal((await ask('worker-elsewhere', 'jvm', otherEnvironmentId)).status, 200);
  });

  describe('a heap dump', () => {
    test('is an HPROF file of the addressed pod, whose every record is sound', async () => {
      for (const podName of ['worker-a', 'cache-a']) {
        const answer = await ask(podName, 'heapdump');
        assert.equal(answer.status, 200);
        assert.match(
          answer.headers.get('content-disposition') ?? '',
          new RegExp(`^attachment; filename="heapdump-${podName}-\\d{8}-\\d{6}\\.hprof"$`),
        );
        const bytes = Buffer.from(await answer.arrayBuffer());
        assert.equal(bytes.toString('latin1', 0, 19), 'JAVA PROFILE 1.0.2\0');
        // Only workers have connections to deliver through.
        const names = [...new HprofFile(bytes).classes.values()].map(({ name }) => name);
        assert.equal(names.includes('ConnectionHost'), podName === 'worker-a');
      }
    });

    test('is taken one at a time, and a client that leaves makes way for the next', async () => {
      const leaving = connect(running.get('worker-a')!.port, '127.0.0.1');
      leaving.write(
        `GET /gateway/diagnostics/heapdump HTTP/1.1\r\nHost: x\r\nAuthorization: ${environmentId}\r\n\r\n`,
      );
      await once(leaving, 'data');
      // Nothing more of it is read: it stays under way until the client is gone.
      leaving.pause();
      const refused = await ask('worker-a', 'heapdump');
      assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '10']);
      leaving.resetAndDestroy();
      await until(
        'the next dump is taken',
        async () => {
          const answer = await ask('worker-a', 'heapdump');
          assert.ok(answer.status === 200 || answer.status === 429);
          await answer.arrayBuffer();
          return answer.status === 200;
        },
        60_000,
      );
    });

    test('leaves no file behind, and is written down with who took it', async () => {
      assert.deepEqual(readdirSync(temporary), []);
      const files = readdirSync(data, { recursive: true }).map(String);
      assert.deepEqual(
        files.filter((name) => /hprof|heap/i.test(name)),
        [],
      );
      const store = await openStore({ dataFolder: data });
      const rows = await store.collection<StoredJournalRow>(journalCollection('message')).list();
      await store.close();
      const texts = rows.map(({ value }) => (value as { readonly text?: string }).text);
      assert.ok(texts.includes('heap dump (hprof) of cache-a taken by 127.0.0.1'), texts.join('\n'));
    });
  });

  test('a pod that was killed appears with its error, and is gone once its heartbeat is too old', async () => {
    running.get('worker-b')!.process.child.kill('SIGKILL');
    await running.get('worker-b')!.process.exitCode();
    const pods = await podsOf('worker-a', 'threaddump');
    assert.deepEqual(namesOf(pods), ['worker-a', 'worker-b', 'worker-c']);
    const dead = pods[1]!;
    assert.match(dead.error ?? '', /^no answer: /);
    assert.equal(dead.threadDump, undefined);
    assert.ok(pods[0]!.threadDump && pods[2]!.threadDump);
    await until(
      'the dead pod is forgotten',
      async () => namesOf(await podsOf('worker-a', 'jvm')).join() === 'worker-a,worker-c',
      POD_EXPIRY_MS + 20_000,
    );
  });

  test('a pod that hangs appears with its error within the time for one pod', async () => {
    running.get('worker-c')!.process.child.kill('SIGSTOP');
    const begunAtMs = performance.now();
    const pods = await podsOf('worker-a', 'jvm');
    const tookMs = performance.now() - begunAtMs;
    running.get('worker-c')!.process.child.kill('SIGCONT');
    assert.match(pods.find(({ podName }) => podName === 'worker-c')?.error ?? '', /^no answer/);
    assert.ok(tookMs < 12_000, `${tookMs} ms`);
  });

  test('a pod that stops takes itself out', async () => {
    assert.equal(await running.get('cache-b')!.process.stop(), 0);
    assert.deepEqual(namesOf(await podsOf('cache-a', 'jvm')), ['cache-a']);
  });
});

describe('a busy pod', () => {
  test('names in its thread dump the functions that keep main thread and worker thread busy', async () => {
    const pod = fork(new URL('../support/busy-pod.ts', import.meta.url));
    after(() => pod.kill('SIGKILL'));
    const [port] = (await once(pod, 'message')) as [number];
    const answer = await fetch(`http://127.0.0.1:${port}/gateway/diagnostics/threaddump`, {
      headers: { authorization: TEST_ENVIRONMENT_ID },
    });
    const { pods } = (await answer.json()) as { pods: PodReport[] };
    const stackOf = (name: string) =>
      pods[0]!.threadDump!.find(({ threadName }) => threadName === name)!.stackTrace.join('\n');
    assert.match(stackOf('main'), /at crunchInMainThread \(/);
    assert.match(stackOf('cruncher'), /at crunchInWorkerThread \(/);
  });
});
