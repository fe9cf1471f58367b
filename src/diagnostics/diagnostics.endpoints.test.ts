import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Example } from '../kernel/catalogue/endpoint.ts';
import { runExample } from '../kernel/catalogue/testing/run-example.ts';
import { rawRequest } from '../kernel/testing/raw-client.ts';
import type { DiagnosedModule } from './diagnostic.ts';
import { ENVIRONMENT_ID } from './diagnostics.endpoints.ts';
import {
  type DiagnosedModuleUnderTest,
  startDiagnosedModule,
  TEST_ENVIRONMENT_ID,
} from './testing/start-diagnosed-module.ts';
import type { WorkerReport } from './testing/worker-report.ts';

const modules: Readonly<Record<DiagnosedModule, DiagnosedModuleUnderTest>> = {
  worker: await startDiagnosedModule({ module: 'worker' }),
  cache: await startDiagnosedModule({ module: 'cache' }),
};
after(() => Promise.all(Object.values(modules).map((module) => module.close())));

/** The table of spec 2 §4.3 without the heap dump: name, key of the content, which modules have it. */
const columns: ReadonlyArray<readonly [name: string, key: string, worker: boolean, cache: boolean]> = [
  ['jvm', 'jvm', true, true],
  ['threads', 'threads', true, true],
  ['threaddump', 'threadDump', true, true],
  ['connections', 'connections', true, false],
  ['env', 'env', true, true],
  ['health', 'health', true, true],
  ['datagrid', 'datagrid', false, true],
];

for (const module of ['worker', 'cache'] as const) {
  describe(`diagnostics of the ${module}`, () => {
    const keys = columns.flatMap(([, key, worker, cache]) =>
      (module === 'worker' ? worker : cache) ? [key] : [],
    );
    const identity = ['podName', 'podIp', 'envName', 'version', 'responseTime'];

    for (const [name, key, isOnWorker, isOnCache] of columns) {
      const isThere = module === 'worker' ? isOnWorker : isOnCache;
      test(`${name} ${isThere ? `answers with ${key} alone` : 'is not there'}`, async () => {
        const answer = await modules[module].get(`${name}?internal=true`);
        assert.equal(answer.status, isThere ? 200 : 404);
        if (!isThere) return;
        const notice = name === 'threaddump' ? ['notice'] : [];
        assert.deepEqual(Object.keys((await answer.json()) as object), [...identity, ...notice, key]);
      });
    }

    test('all holds everything the module has', async () => {
      const report = (await (await modules[module].get('all?internal=true')).json()) as object;
      assert.deepEqual(Object.keys(report), [...identity, 'notice', ...keys]);
    });

    test('a name that nobody has is not there', async () => {
      assert.equal((await modules[module].get('nothing')).status, 404);
    });

    for (const endpoint of modules[module].diagnostics.endpoints) {
      for (const example of endpoint.examples) {
        test(`${endpoint.path}: ${example.name}`, () =>
          runExample(modules[module].port, endpoint, withId(example)));
      }
    }
  });
}

function withId(example: Example): Example {
  const { headers } = example;
  return headers
    ? { ...example, headers: headers.map((text) => text.replace(ENVIRONMENT_ID, TEST_ENVIRONMENT_ID)) }
    : example;
}

describe('who may look', () => {
  const refused: ReadonlyArray<readonly [what: string, fields: readonly string[]]> = [
    ['no id at all', []],
    ['an empty id', ['Authorization:']],
    ['another id', ['Authorization: 0123456789abcdef01234568']],
    ['a part of the id', [`Authorization: ${TEST_ENVIRONMENT_ID.slice(0, -1)}`]],
    ['more than the id', [`Authorization: ${TEST_ENVIRONMENT_ID}0`]],
    ['the id in other letters', [`Authorization: ${TEST_ENVIRONMENT_ID.toUpperCase()}`]],
    ['a word before the id', [`Authorization: Bearer ${TEST_ENVIRONMENT_ID}`]],
    ['the id twice', [`Authorization: ${TEST_ENVIRONMENT_ID}`, `Authorization: ${TEST_ENVIRONMENT_ID}`]],
    ['the id in another field', [`X-Environment-Id: ${TEST_ENVIRONMENT_ID}`]],
    ['bytes beyond ASCII', ['Authorization: \xe9\xff']],
  ];
  for (const [what, fields] of refused) {
    test(`${what} is refused with 401`, async () => {
      const { status, body, header } = await rawGet('/gateway/diagnostics/jvm?internal=true', fields);
      assert.equal(status, 401);
      assert.equal(header('content-type'), 'application/problem+json');
      assert.equal(header('www-authenticate'), undefined);
      const problem = JSON.parse(body.toString());
      assert.equal(problem.errorKey, 'ENVIRONMENT_ID_MISMATCH');
      assert.equal(problem.path, '/gateway/diagnostics/jvm');
      assert.doesNotMatch(body.toString(), new RegExp(TEST_ENVIRONMENT_ID));
    });
  }

  test('the id alone is taken', async () => {
    const { status } = await rawGet('/gateway/diagnostics/jvm', [`authorization:  ${TEST_ENVIRONMENT_ID} `]);
    assert.equal(status, 200);
  });

  test('without the id nothing else is told, not even that the request is wrong', async () => {
    assert.equal((await rawGet('/gateway/diagnostics/jvm?internal=perhaps', [])).status, 401);
  });

  const rawGet = (path: string, fields: readonly string[]) =>
    rawRequest(
      modules.worker.port,
      [`GET ${path} HTTP/1.1`, 'Host: test', 'Connection: close', ...fields, '', ''].join('\r\n'),
    );
});

describe('internal', () => {
  const values: ReadonlyArray<readonly [query: string, expected: 'pod' | 'pods' | 400]> = [
    ['', 'pods'],
    ['?internal=false', 'pods'],
    ['?internal=true', 'pod'],
    ['?internal=', 400],
    ['?internal', 400],
    ['?internal=TRUE', 400],
    ['?internal=1', 400],
    ['?internal=yes', 400],
    ['?internal=true%20', 400],
  ];
  for (const [query, expected] of values) {
    test(`'${query}' ${expected === 400 ? 'is refused' : `answers with the ${expected}`}`, async () => {
      const answer = await modules.worker.get(`jvm${query}`);
      const body = (await answer.json()) as { pods?: object[]; podName?: string };
      if (expected === 400) assert.equal(answer.status, 400);
      else if (expected === 'pod') assert.equal(body.podName, 'worker-1');
      else assert.equal(body.pods?.length, 1);
    });
  }
});

describe('the contents', () => {
  let report: WorkerReport;
  before(async () => {
    report = (await (await modules.worker.get('all?internal=true')).json()) as WorkerReport;
  });

  test('say who answers', () => {
    assert.deepEqual(
      [report.podName, report.podIp, report.envName],
      ['worker-1', '127.0.0.1', 'Development'],
    );
  });

  test('jvm: heap, spaces, collections and event loop', () => {
    const { memory, gc, eventLoop, uptime } = report.jvm;
    assert.ok(memory.heap.used > 1e6 && memory.heap.used <= memory.heap.committed);
    assert.ok(memory.heap.committed < memory.heap.max);
    assert.ok(memory.nonHeap.used > 0);
    assert.ok(memory.spaces.some(({ name }) => name === 'old_space'));
    assert.ok(gc.some(({ name }) => name === 'major'));
    assert.ok(eventLoop.delay.max >= eventLoop.delay.p50);
    assert.ok(eventLoop.utilization > 0 && eventLoop.utilization <= 1);
    assert.equal(Math.abs(uptime - process.uptime()) < 5, true);
  });

  test('threads: as many states as threads, and the pool of libuv', () => {
    const { summary, states, threads, executorPools } = report.threads;
    assert.equal(states.RUNNABLE + states.WAITING + states.TIMED_WAITING, summary.threadCount);
    assert.equal(threads.length, summary.threadCount);
    assert.equal(summary.daemonThreadCount, summary.threadCount - 1);
    assert.ok(summary.peakThreadCount >= summary.threadCount);
    assert.ok(summary.totalStartedThreadCount >= summary.peakThreadCount);
    assert.equal(executorPools.libuv?.poolSize, 4);
  });

  test('threads: executors that registered themselves', async () => {
    const pool = { poolSize: 2, activeCount: 1, queueSize: 7, rejectedTaskCount: 3 };
    const forget = modules.worker.diagnostics.executorPools.register(() => ({ 'delivery a': pool }));
    const answer = await modules.worker.get('threads?internal=true');
    forget();
    const { threads } = (await answer.json()) as WorkerReport;
    assert.deepEqual(threads.executorPools['delivery a'], pool);
  });

  test('connections: this very one is active, and pools count too', async () => {
    const pool = { name: 'a', leased: 3, available: 4, pending: 5, maxTotal: 20 };
    const forget = modules.worker.diagnostics.connections.registerPools(() => [pool]);
    const answer = await modules.worker.get('connections?internal=true');
    forget();
    const { connections } = (await answer.json()) as WorkerReport;
    const [listener] = connections.listeners;
    assert.ok(listener && listener.active >= 1);
    assert.equal(connections.active, listener.active + 3);
    assert.equal(connections.idle, listener.idle + 4);
    assert.deepEqual(connections.pools, [pool]);
  });

  test('env: variables and properties, none of them the id that opened it', async () => {
    process.env.GATEHOUSE_TEST_PLACE = `http://host/${TEST_ENVIRONMENT_ID}/x`;
    const text = await (await modules.worker.get('env?internal=true')).text();
    delete process.env.GATEHOUSE_TEST_PLACE;
    const { env } = JSON.parse(text);
    assert.equal(env.environmentVariables.GATEHOUSE_TEST_PLACE, 'http://host/******/x');
    assert.equal(env.systemProperties['versions.node'], process.versions.node);
    assert.equal(env.systemProperties['process.id'], String(process.pid));
    assert.doesNotMatch(text, new RegExp(TEST_ENVIRONMENT_ID));
  });

  test('health: what the module needs, and memory, threads and connections', () => {
    const { status, checks, system } = report.health;
    assert.equal(status, 'UP');
    assert.deepEqual(Object.keys(checks), ['database', 'memory', 'threads', 'connections']);
    assert.ok(system.memory.total > system.memory.free);
    assert.equal(system.processId, process.pid);
  });

  test('health: a pool that is exhausted is DOWN, and the answer is still 200', async () => {
    const forget = modules.worker.diagnostics.connections.registerPools(() => [
      { name: 'backend', leased: 2, available: 0, pending: 1, maxTotal: 2 },
    ]);
    const answer = await modules.worker.get('health?internal=true');
    forget();
    assert.equal(answer.status, 200);
    const { health } = (await answer.json()) as WorkerReport;
    assert.deepEqual(
      [health.status, health.checks.connections],
      ['DOWN', { status: 'DOWN', detail: 'exhausted: backend' }],
    );
  });
});

describe('a part that cannot be collected', () => {
  test('is named, and the rest is there', async () => {
    const failing = await startDiagnosedModule();
    failing.diagnostics.executorPools.register(() => {
      throw new Error('a secret place');
    });
    const report = (await (await failing.get('all?internal=true')).json()) as WorkerReport;
    await failing.close();
    assert.equal(report.error, 'could not be collected: threads; the log tells more');
    assert.equal(report.threads, undefined);
    assert.ok(report.jvm.memory.heap.used > 0);
  });
});

describe('that dumps load the pod', () => {
  const names = ['threaddump', 'all'];

  test('is said in the descriptions', () => {
    const described = modules.worker.diagnostics.endpoints.filter(({ path }) =>
      [...names, 'heapdump'].includes(path.split('/').at(-1)!),
    );
    assert.equal(described.length, 3);
    for (const { description } of described)
      assert.match(description ?? '', /(?:loads|stops) the pod.*low traffic/);
  });

  for (const name of names) {
    test(`is said in the answer to ${name}, by each pod`, async () => {
      const { pods } = (await (await modules.worker.get(name)).json()) as { pods: { notice: string }[] };
      assert.match(pods[0]!.notice, /load the pod.*low traffic/);
    });
  }
});
