import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Log, silentLog } from '../kernel/log.ts';
import { rawRequest } from '../kernel/testing/raw-client.ts';
import type { PodProcess } from '../platform/pod-processes.ts';
import { HprofFile } from './hprof/testing/hprof-reader.ts';
import {
  type DiagnosedModuleUnderTest,
  startDiagnosedModule,
  TEST_ENVIRONMENT_ID,
} from './testing/start-diagnosed-module.ts';

/** Two processes of one pod, which for this test have names of their own; a third has died. */
let processes: PodProcess[] = [];
let first: DiagnosedModuleUnderTest;
let second: DiagnosedModuleUnderTest;
const logged: Array<Record<string, unknown>> = [];
before(async () => {
  const log = { ...silentLog, info: (fields: Record<string, unknown>) => void logged.push(fields) } as Log;
  const start = (index: number, podName: string) =>
    startDiagnosedModule({ podName, place: { index, count: 3 }, processes: async () => processes, log });
  first = await start(0, 'first');
  second = await start(1, 'second');
  processes = [first, second].map(({ ownPort }, index) => ({ index, processId: 100 + index, port: ownPort }));
});
after(() => Promise.all([first.close(), second.close()]));

const fileOf = (answer: Response) => answer.headers.get('content-disposition') ?? '';

describe('a diagnostic about one process', () => {
  test('is answered by the first one, whichever the request reaches', async () => {
    const answer = await second.get('heapdump');
    assert.equal(answer.status, 200);
    assert.match(fileOf(answer), /^attachment; filename="heapdump-first-\d{8}-\d{6}\.hprof"$/);
    assert.equal(answer.headers.get('content-type'), 'application/octet-stream');
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    new HprofFile(Buffer.from(await answer.arrayBuffer()));
  });

  test('is answered by the chosen one', async () => {
    for (const reached of [first, second]) {
      const profile = await reached.get('cpuprofile?seconds=1&process=1');
      assert.match(fileOf(profile), /^attachment; filename="cpuprofile-second-/);
      assert.ok(Array.isArray(((await profile.json()) as { nodes: unknown }).nodes));
      const stalls = (await (await reached.get('stalls?process=1')).json()) as { podName: string };
      assert.equal(stalls.podName, 'second');
    }
  });

  test('HEAD is passed on as HEAD', async () => {
    const head = ['HEAD /gateway/diagnostics/heapdump HTTP/1.1', 'Host: test', 'Connection: close'];
    const { status, header } = await rawRequest(
      second.port,
      [...head, `Authorization: ${TEST_ENVIRONMENT_ID}`, '', ''].join('\r\n'),
    );
    assert.equal(status, 200);
    assert.match(header('content-disposition') ?? '', /heapdump-first-/);
    assert.match(header('gatehouse-notice') ?? '', /load the pod/);
  });

  for (const value of ['3', '-1', '', 'first', '1.5']) {
    test(`the process '${value}' is refused`, async () => {
      for (const name of ['heapdump', 'cpuprofile', 'allocations', 'stalls'])
        assert.equal((await second.get(`${name}?process=${value}`)).status, 400);
    });
  }

  test('is told to come back while the chosen one is away', async () => {
    const answer = await second.get('heapdump?process=2');
    assert.deepEqual([answer.status, answer.headers.get('retry-after')], [503, '1']);
  });

  test('needs the environment’s id like any other', async () => {
    const url = `http://127.0.0.1:${second.port}/gateway/diagnostics/heapdump`;
    assert.equal((await fetch(url, { headers: { authorization: 'another' } })).status, 401);
  });

  test('never goes round in circles, wherever a process that died is believed to be', async () => {
    const known = processes;
    processes = [...known, { index: 2, processId: 102, port: first.ownPort }];
    try {
      const answer = await second.get('stalls?process=2');
      assert.deepEqual([answer.status, answer.headers.get('retry-after')], [503, '1']);
    } finally {
      processes = known;
    }
  });

  test('is written down with the client that asked; only other processes may say who that was', async () => {
    const begun = () => logged.filter(({ event }) => event === 'diagnostics.profile.begun').at(-1)?.client;
    await askAs('10.9.8.7', first.ownPort);
    assert.equal(begun(), '10.9.8.7');
    await askAs('10.9.8.7', first.port);
    assert.equal(begun(), '127.0.0.1');
  });

  test('a client that leaves ends what the chosen process does for it', async () => {
    const socket = second.rawGet('cpuprofile?seconds=60');
    while (!logged.some(({ event, seconds }) => event === 'diagnostics.profile.begun' && seconds === 60))
      await sleep(10);
    assert.equal((await first.get('cpuprofile?seconds=1')).status, 429);
    socket.resetAndDestroy();
    for (;;) {
      const { status } = await first.get('cpuprofile?seconds=1');
      if (status === 200) break;
      assert.equal(status, 429);
      await sleep(20);
    }
  });

  function askAs(client: string, port: number): Promise<unknown> {
    const head = [
      'GET /gateway/diagnostics/cpuprofile?seconds=1 HTTP/1.1',
      'Host: test',
      'Connection: close',
    ];
    const fields = [`Authorization: ${TEST_ENVIRONMENT_ID}`, `X-Forwarded-For: ${client}`];
    return rawRequest(port, [...head, ...fields, '', ''].join('\r\n'), { waitMs: 20_000 });
  }
});

test('a process that dies in the middle breaks the answer off', async () => {
  const dying = createServer((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n');
    setTimeout(() => socket.destroy(), 50);
  });
  dying.listen(0, '127.0.0.1');
  await once(dying, 'listening');
  const { port } = dying.address() as { port: number };
  const known = processes;
  processes = [{ index: 0, processId: 1, port }];
  try {
    await assert.rejects((await second.get('heapdump')).arrayBuffer());
  } finally {
    processes = known;
    dying.close();
  }
});
