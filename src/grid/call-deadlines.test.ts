import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CallDeadlines } from './call-deadlines.ts';
import { GridUnavailable } from './contract.ts';

const DEADLINE_MS = 60;
const never = () => new Promise<never>(() => {});
const after = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

describe('the deadline of calls', () => {
  it('lets through what answers or fails in time, in whatever order', async () => {
    const deadlines = new CallDeadlines({ deadlineMs: 5000 });
    const slow = deadlines.within(after(30).then(() => 'slow'));
    const failing = deadlines.within(Promise.reject(new TypeError('no')));
    assert.equal(await deadlines.within(Promise.resolve('fast')), 'fast');
    await assert.rejects(failing, TypeError);
    assert.equal(await slow, 'slow');
    deadlines.close();
  });

  it('ends what does not answer, each when its time is over', async () => {
    const deadlines = new CallDeadlines({ deadlineMs: DEADLINE_MS });
    const ended: number[] = [];
    const call = (index: number) => deadlines.within(never()).catch(() => ended.push(index));
    const calls = [call(0), call(1)];
    await after(DEADLINE_MS / 2);
    calls.push(call(2));
    const began = performance.now();
    await Promise.all(calls);
    assert.ok(performance.now() - began < DEADLINE_MS * 20);
    assert.deepEqual(ended, [0, 1, 2]);
    await assert.rejects(deadlines.within(never()), GridUnavailable);
    deadlines.close();
  });

  it('takes no notice of an answer or a failure that comes too late', async () => {
    const deadlines = new CallDeadlines({ deadlineMs: 20 });
    const { promise, reject } = Promise.withResolvers<string>();
    const translated: unknown[] = [];
    const call = deadlines.within(promise, (error) => {
      translated.push(error);
      return Promise.reject(error);
    });
    await assert.rejects(call, GridUnavailable);
    // A rejection that nobody handles would end the process.
    reject(new Error('late'));
    await after(20);
    assert.deepEqual(translated, []);
    deadlines.close();
  });

  it('lets a failed call be answered otherwise', async () => {
    const deadlines = new CallDeadlines({ deadlineMs: 5000 });
    assert.equal(await deadlines.within<number>(Promise.reject(new Error('no')), async () => 7), 7);
    deadlines.close();
  });

  it('tells when nothing was answered for long, and begins anew with every answer', async () => {
    let silences = 0;
    const silence = { afterMs: 100, tell: () => silences++ };
    const deadlines = new CallDeadlines({ deadlineMs: 30, silence });
    for (let round = 0; round < 8; round++) {
      await deadlines.within(never()).catch(() => undefined);
      await deadlines.within(Promise.resolve());
    }
    assert.equal(silences, 0);
    while (silences === 0) await deadlines.within(never()).catch(() => undefined);
    deadlines.close();
  });

  it('ends everything when it is closed', async () => {
    const deadlines = new CallDeadlines({ deadlineMs: 60_000 });
    const calls = [deadlines.within(never()), deadlines.within(never())];
    deadlines.close();
    for (const call of calls) await assert.rejects(call, GridUnavailable);
  });
});
