import assert from 'node:assert/strict';
import { execSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { systemClock } from '../kernel/clock.ts';
import { silentLog } from '../kernel/log.ts';
import { StallLog } from './stall-log.ts';
import { ThreadWatch } from './thread-watch.ts';
import type { DumpedThread } from './thread-watch-protocol.ts';

let stalls: StallLog;
let watch: ThreadWatch;
const workers: Worker[] = [];

before(async () => {
  stalls = new StallLog({ clock: systemClock, log: silentLog });
  watch = new ThreadWatch({ ticks: stalls.ticks, onStalled: (tick, stack) => stalls.explain(tick, stack) });
  stalls.start();
  // So that the thread itself is started.
  await watch.ask({ ask: 'threads' });
});
after(async () => {
  stalls.stop();
  await watch.stop();
});
// Most of them are busy for ever, and would slow down every test that comes after theirs.
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.terminate()));
});

async function startWorker(name: string, code: string): Promise<Worker> {
  const begun = `require('node:worker_threads').parentPort.postMessage('begun');`;
  const worker = new Worker(`${begun}${code}`, { eval: true, name });
  workers.push(worker);
  await once(worker, 'message');
  return worker;
}

const dump = () => watch.ask({ ask: 'dump' });
const threadNamed = (threads: readonly DumpedThread[], name: string) => {
  const found = threads.find(({ threadName }) => threadName === name);
  assert.ok(found, `no thread ${name} among ${threads.map(({ threadName }) => threadName).join(', ')}`);
  return found;
};

/** The thread once its stack shows what it was started for: right after its start it is still on the way there. */
async function threadShowing(name: string, line: RegExp): Promise<DumpedThread> {
  for (let attempt = 1; ; attempt++) {
    const thread = threadNamed(await dump(), name);
    if (thread.stackTrace.some((one) => line.test(one))) return thread;
    assert.ok(attempt < 20, `${name} shows only\n${thread.stackTrace.join('\n')}`);
    await sleep(20);
  }
}

/** A dump of a main thread in native code; on a busy machine it may still be on the way there when it is asked. */
async function dumpWhileBlocked(): Promise<DumpedThread[]> {
  for (let attempt = 1; ; attempt++) {
    const dumping = dump();
    execSync('sleep 2');
    const threads = await dumping;
    if (attempt === 5 || !threadNamed(threads, 'main').stackTrace[0]!.startsWith('at ')) return threads;
  }
}

function spinInMain(durationMs: number): void {
  const end = performance.now() + durationMs;
  while (performance.now() < end);
}

function callSpinInMain(): void {
  spinInMain(800);
}

describe('a thread dump', () => {
  test('names the function of a busy loop in the main thread, and who called it', async () => {
    const dumping = dump();
    callSpinInMain();
    const { stackTrace, threadState } = threadNamed(await dumping, 'main');
    const frame = stackTrace.findIndex((line) => line.includes('spinInMain'));
    assert.ok(frame >= 0, stackTrace.join('\n'));
    assert.match(stackTrace[frame]!, /^at spinInMain \(.*thread-watch\.test\.ts:\d+:\d+\)$/);
    assert.match(stackTrace[frame + 1]!, /^at callSpinInMain /);
    assert.equal(threadState, 'RUNNABLE');
  });

  test('names the function of a busy loop in a worker thread', async () => {
    await startWorker('spinner', 'function spinInWorker() { for (;;) Math.random(); } spinInWorker();');
    const { threadState, kind } = await threadShowing('spinner', /^at spinInWorker /);
    assert.deepEqual([threadState, kind], ['RUNNABLE', 'worker']);
  });

  test('names both while both are busy', async () => {
    await startWorker('spinner two', 'function spinToo() { for (;;) Math.random(); } spinToo();');
    await threadShowing('spinner two', /spinToo/);
    const dumping = dump();
    callSpinInMain();
    const threads = await dumping;
    assert.match(threadNamed(threads, 'main').stackTrace.join('\n'), /spinInMain/);
    assert.match(threadNamed(threads, 'spinner two').stackTrace.join('\n'), /spinToo/);
  });

  test('shows the expression that never comes to its end', async () => {
    const code = `function matchForever() { /^(a+)+$/.test('a'.repeat(60) + 'b'); } matchForever();`;
    await startWorker('regex', code);
    await threadShowing('regex', /^at matchForever /);
  });

  test('says of a thread that waits for events that it does', async () => {
    await startWorker('waiter', 'setInterval(() => {}, 60_000);');
    const { threadState } = await threadShowing('waiter', /^\(waits for events\)$/);
    assert.match(threadState, /WAITING/);
  });

  test('shows a thread that waits for memory of another', async () => {
    const code = 'function hold() { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); } hold();';
    await startWorker('holder', code);
    await threadShowing('holder', /^at hold /);
  });

  test('says of threads in native code that they do not answer, and comes back all the same', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-thread-watch-'));
    // The shell waits as long as there is the folder.
    const command = `while [ -d '${folder}' ]; do sleep 0.1; done`;
    try {
      await startWorker('shell', `require('node:child_process').execSync(${JSON.stringify(command)});`);
      await threadShowing('shell', /^\(blocked in native code/);
      const threads = await dumpWhileBlocked();
      assert.match(threadNamed(threads, 'main').stackTrace[0]!, /^\(blocked in native code/);
      assert.match(threadNamed(threads, 'shell').stackTrace[0]!, /^\(could not be asked/);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    // Nobody is left waiting for an answer that came too late.
    assert.doesNotMatch(threadNamed(await dump(), 'main').stackTrace[0]!, /native/);
  });

  test('lists the threads that run no JavaScript too', { skip: process.platform !== 'linux' }, async () => {
    const threads = await dump();
    const engine = threads.filter(({ kind }) => kind === 'engine');
    assert.ok(engine.length > 0);
    assert.ok(engine.every(({ stackTrace }) => stackTrace[0] === '(no JavaScript stack)'));
    assert.equal(new Set(threads.map(({ threadId }) => threadId)).size, threads.length);
  });

  test('shows no value of any variable', async () => {
    const code = `function hush(word) { for (;;) Math.random(word); } hush('a-secret-word');`;
    await startWorker('hush', code);
    await threadShowing('hush', /^at hush /);
    assert.doesNotMatch(JSON.stringify(await dump()), /a-secret-word/);
  });

  test('can be taken by many at once', async () => {
    const dumps = await Promise.all(Array.from({ length: 10 }, dump));
    for (const threads of dumps) threadNamed(threads, 'main');
  });
});

describe('a stall of the event loop', () => {
  test('is remembered with the function that caused it', async () => {
    // The watching thread must have seen a tick before the loop stands still.
    await sleep(300);
    spinInMain(1200);
    await sleep(300);
    const stall = stalls.latest().find(({ stackTrace }) => stackTrace?.join('\n').includes('spinInMain'));
    assert.ok(stall, JSON.stringify(stalls.latest()));
    assert.ok(stall.durationMs >= 1000, `${stall.durationMs} ms`);
  });
});

describe('the watching thread', () => {
  test('gives up a profile when nobody waits for it any more', async () => {
    const leaving = new AbortController();
    const profile = watch.ask({ ask: 'cpu-profile', durationMs: 60_000 }, leaving.signal);
    await sleep(50);
    leaving.abort(new Error('gone'));
    await assert.rejects(profile, /gone/);
    const { threads } = await watch.ask({ ask: 'threads' });
    assert.ok(threads.length > 0);
  });

  test('starts anew when it has ended', async () => {
    const other = new ThreadWatch({ ticks: stalls.ticks, onStalled: () => {} });
    const worker = other.start();
    const unanswered = other.ask({ ask: 'cpu-profile', durationMs: 60_000 });
    unanswered.catch(() => {});
    await worker.terminate();
    await assert.rejects(unanswered, /ended/);
    threadNamed(await other.ask({ ask: 'dump' }), 'main');
    await other.stop();
  });

  test('fails what is asked of it when it stops, and does not hang', async () => {
    const other = new ThreadWatch({ ticks: stalls.ticks, onStalled: () => {} });
    const unanswered = other.ask({ ask: 'cpu-profile', durationMs: 60_000 });
    const rejected = assert.rejects(unanswered, /stopped/);
    await other.stop();
    await rejected;
  });
});
