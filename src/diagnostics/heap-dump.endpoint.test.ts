import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../kernel/faults.ts';
import { type Log, silentLog } from '../kernel/log.ts';
import { rawRequest } from '../kernel/testing/raw-client.ts';
import { heapDump } from './heap-dump.ts';
import { HprofFile } from './hprof/testing/hprof-reader.ts';
import {
  type DiagnosedModuleUnderTest,
  startDiagnosedModule,
  TEST_ENVIRONMENT_ID,
} from './testing/start-diagnosed-module.ts';

let worker: DiagnosedModuleUnderTest;
let cache: DiagnosedModuleUnderTest;
const logged: Array<Record<string, unknown>> = [];
before(async () => {
  const log = { ...silentLog, info: (fields: Record<string, unknown>) => void logged.push(fields) } as Log;
  const others = () => Promise.reject(new Error('a heap dump asks no other pod'));
  worker = await startDiagnosedModule({ podName: 'worker "one"', log, others });
  cache = await startDiagnosedModule({ module: 'cache' });
});
after(() => Promise.all([worker.close(), cache.close()]));

class HeapDumpWitness {
  readonly said = 'here';
}
const witnesses = Array.from({ length: 321 }, () => new HeapDumpWitness());

describe('heapdump', () => {
  test('is an HPROF file of this very process, named after the pod and the time', async () => {
    const answer = await worker.get('heapdump');
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-type'), 'application/octet-stream');
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    assert.match(answer.headers.get('gatehouse-notice') ?? '', /load the pod.*low traffic/);
    assert.match(
      answer.headers.get('content-disposition') ?? '',
      /^attachment; filename="heapdump-worker__one_-\d{8}-\d{6}\.hprof"$/,
    );
    const bytes = Buffer.from(await answer.arrayBuffer());
    assert.equal(new HprofFile(bytes).instancesOf('HeapDumpWitness').length, witnesses.length);
    const sent = logged.find(({ event }) => event === 'diagnostics.heap-dump.sent');
    assert.deepEqual([sent?.format, sent?.client, sent?.bytes], ['hprof', '127.0.0.1', bytes.length]);
    assert.ok(logged.some(({ event }) => event === 'diagnostics.heap-dump.begun'));
  });

  test('is V8’s own snapshot when that is asked for; internal changes nothing', async () => {
    const answer = await cache.get('heapdump?format=heapsnapshot&internal=perhaps');
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get('content-disposition') ?? '', /\.heapsnapshot"$/);
    const { snapshot, nodes } = (await answer.json()) as {
      snapshot: { node_count: number };
      nodes: number[];
    };
    assert.equal(nodes.length / 6, snapshot.node_count);
  });

  for (const format of ['phd', '', 'HPROF']) {
    test(`the format '${format}' is refused`, async () => {
      assert.equal((await worker.get(`heapdump?format=${format}`)).status, 400);
    });
  }

  test('needs the id of the environment', async () => {
    const answer = await fetch(`http://127.0.0.1:${worker.port}/gateway/diagnostics/heapdump`);
    assert.equal(answer.status, 401);
  });

  test('HEAD tells of the file and takes none', async () => {
    const begun = logged.length;
    const { status, header } = await rawRequest(
      worker.port,
      `HEAD /gateway/diagnostics/heapdump HTTP/1.1\r\nHost: test\r\nConnection: close\r\nAuthorization: ${TEST_ENVIRONMENT_ID}\r\n\r\n`,
    );
    assert.equal(status, 200);
    assert.match(header('content-disposition') ?? '', /\.hprof"$/);
    assert.equal(logged.length, begun);
  });

  test('one at a time in a process, whichever module is asked', async () => {
    const first = worker.get('heapdump');
    let refused = await cache.get('heapdump');
    for (let attempt = 0; attempt < 100 && refused.status === 200; attempt++) {
      // It came before the first; once it is through, that one is under way.
      await refused.arrayBuffer();
      refused = await cache.get('heapdump');
    }
    assert.equal(refused.status, 429);
    assert.equal(refused.headers.get('retry-after'), '10');
    assert.equal(((await refused.json()) as { errorKey: string }).errorKey, 'DIAGNOSTIC_IN_PROGRESS');
    new HprofFile(Buffer.from(await (await first).arrayBuffer()));
    assert.equal((await (await worker.get('heapdump')).arrayBuffer()).byteLength > 1e6, true);
  });

  test('a client that leaves ends its dump; the next one begins, and nothing is left behind', async () => {
    const filesBefore = readdirSync(tmpdir()).filter((name) => name.includes('heap'));
    for (const leaveAfterBytes of [0, 1, 3_000_000]) {
      const socket = worker.rawGet('heapdump');
      let received = 0;
      socket.on('data', (chunk) => {
        received += chunk.length;
      });
      if (leaveAfterBytes === 0) await once(socket, 'connect');
      while (received < leaveAfterBytes) await sleep(5);
      socket.resetAndDestroy();
      assert.equal(await statusOnceFree(), 200);
    }
    const filesNow = readdirSync(tmpdir()).filter((name) => name.includes('heap'));
    assert.deepEqual(
      filesNow.filter((name) => !filesBefore.includes(name) && !name.includes('known')),
      [],
    );
  });

  /** How a dump is answered once no other is being taken. */
  async function statusOnceFree(): Promise<number> {
    for (let attempt = 0; attempt < 200; attempt++) {
      const answer = await worker.get('heapdump');
      await answer.arrayBuffer();
      if (answer.status !== 429) return answer.status;
      await sleep(50);
    }
    return 429;
  }
});

describe('too little memory', () => {
  test('is a refusal that says how much is needed, and blocks nothing', () => {
    for (let time = 0; time < 2; time++) {
      assert.throws(
        () => heapDump('hprof', new AbortController().signal, () => 1 << 20),
        (error: Fault) => error.key === 'diagnostics.no-memory' && error.values.free === 1,
      );
    }
  });
});
