import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { silentLog } from '../kernel/log.ts';
import { fileName, timeStamp } from './profiling.endpoints.ts';
import type { Stall } from './stall-log.ts';
import { type DiagnosedModuleUnderTest, startDiagnosedModule } from './testing/start-diagnosed-module.ts';

let module: DiagnosedModuleUnderTest;
const logged: Array<Record<string, unknown>> = [];
before(async () => {
  const log = {
    ...silentLog,
    info: (fields: Record<string, unknown>) => void logged.push(fields),
    debug: () => {},
    error: () => {},
    warn: () => {},
  } as unknown as typeof silentLog;
  module = await startDiagnosedModule({ podName: 'pod "one"', log });
});
after(() => module.close());

function workForAProfile(durationMs: number): number {
  const end = performance.now() + durationMs;
  const kept: object[] = [];
  while (performance.now() < end) kept.push({ some: new Array(20).fill(kept.length) });
  return kept.length;
}

/** Work at every moment at which a profile may begin. */
async function whileWorking<Result>(waiting: Promise<Result>): Promise<Result> {
  const timer = setInterval(() => workForAProfile(20), 25);
  try {
    return await waiting;
  } finally {
    clearInterval(timer);
  }
}

/** Until a profile of so many seconds is being taken. */
async function untilBegun(seconds: number): Promise<void> {
  const isIt = (line: Record<string, unknown>) =>
    line.event === 'diagnostics.profile.begun' && line.seconds === seconds;
  while (!logged.some(isIt)) await sleep(5);
}

describe('profiles', () => {
  test('a CPU profile names what the time went to', async () => {
    const answer = await whileWorking(module.get('cpuprofile?seconds=1'));
    assert.equal(answer.status, 200);
    assert.match(
      answer.headers.get('content-disposition') ?? '',
      /^attachment; filename="cpuprofile-pod__one_-\d{8}-\d{6}\.cpuprofile"$/,
    );
    const profile = (await answer.json()) as { nodes: Array<{ callFrame: { functionName: string } }> };
    assert.ok(profile.nodes.some(({ callFrame }) => callFrame.functionName === 'workForAProfile'));
  });

  test('an allocation profile names who allocated', async () => {
    const answer = await whileWorking(module.get('allocations?seconds=1'));
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get('content-disposition') ?? '', /\.heapprofile"$/);
    assert.match(await answer.text(), /workForAProfile/);
  });

  test('one at a time: a second is told to come back, the other kind may run beside', async () => {
    const first = module.get('cpuprofile?seconds=2');
    await untilBegun(2);
    const second = await module.get('cpuprofile?seconds=1');
    assert.equal(second.status, 429);
    assert.match(second.headers.get('retry-after') ?? '', /^[12]$/);
    assert.equal(((await second.json()) as { errorKey: string }).errorKey, 'DIAGNOSTIC_IN_PROGRESS');
    assert.equal((await module.get('allocations?seconds=1')).status, 200);
    assert.equal((await first).status, 200);
  });

  test('a client that leaves ends its profile, and the next one can begin', async () => {
    const socket = module.rawGet('cpuprofile?seconds=60');
    await untilBegun(60);
    assert.equal((await module.get('cpuprofile?seconds=1')).status, 429);
    socket.resetAndDestroy();
    let status = 429;
    for (let attempt = 0; status === 429 && attempt < 50; attempt++) {
      status = (await module.get('cpuprofile?seconds=1')).status;
      if (status === 429) await sleep(50);
    }
    assert.equal(status, 200);
  });

  for (const query of ['seconds=0', 'seconds=61', 'seconds=-1', 'seconds=1.5', 'seconds=', 'seconds=ten']) {
    test(`${query} is refused`, async () => {
      assert.equal((await module.get(`cpuprofile?${query}`)).status, 400);
    });
  }

  test('each is written into the log with who asked for it', () => {
    const begun = logged.find(({ event }) => event === 'diagnostics.profile.begun');
    assert.deepEqual([begun?.profile, begun?.seconds, begun?.client], ['cpuprofile', 1, '127.0.0.1']);
    assert.ok(logged.some(({ event }) => event === 'diagnostics.profile.taken'));
  });
});

test('stalls are listed', async () => {
  await sleep(300);
  workForAProfile(1000);
  await sleep(300);
  const answer = await module.get('stalls');
  const { stalls } = (await answer.json()) as { stalls: { count: number; latest: readonly Stall[] } };
  assert.ok(stalls.count >= 1);
  assert.ok(stalls.latest.some(({ durationMs }) => durationMs >= 800));
});

test('files are named by time, and by nothing that a header field could not hold', () => {
  assert.equal(timeStamp(new Date('2026-04-01T09:08:07.654Z')), '20260401-090807');
  assert.equal(fileName('a/b "c"\r\n-1.x'), 'a_b__c___-1.x');
});
