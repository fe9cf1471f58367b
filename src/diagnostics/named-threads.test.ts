import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dumpOf } from './named-threads.ts';
import type { OsThread } from './os-threads.ts';
import type { JsThread } from './thread-stacks.ts';

const os = (id: number, name: string, state: OsThread['state'] = 'WAITING', waitsIn = ''): OsThread => ({
  id,
  name,
  state,
  waitsIn,
});
const js = (workerId: number, name: string, stackTrace?: string[]): JsThread => ({
  workerId,
  name,
  stackTrace,
});
const main = os(process.pid, 'node-MainThread');
const shown = (threads: ReturnType<typeof dumpOf>) =>
  threads.map(({ threadName, threadId, stackTrace }) => [threadName, threadId, stackTrace[0]]);

describe('stacks and threads of the system', () => {
  test('belong together by name, of one name in the order of their start', () => {
    const later = process.pid + 20;
    const earlier = process.pid + 10;
    const dump = dumpOf(
      [js(2, 'twin', ['at second']), js(1, 'twin', ['at first']), js(0, 'main', ['at m'])],
      [os(later, 'twin'), main, os(earlier, 'twin')],
    );
    assert.deepEqual(shown(dump), [
      ['main', process.pid, 'at m'],
      ['twin', earlier, 'at first'],
      ['twin', later, 'at second'],
    ]);
  });

  test('belong together although the system keeps only the beginning of a name', () => {
    const id = process.pid + 1;
    const dump = dumpOf([js(1, 'a name that is long', ['at x'])], [os(id, 'a name that is ')]);
    assert.deepEqual(shown(dump), [['a name that is long', id, 'at x']]);
  });

  test('threads without JavaScript have no stack but the place they wait at', () => {
    const [thread] = dumpOf([], [os(process.pid + 1, 'libuv-worker', 'WAITING', 'futex_do_wait')]);
    assert.deepEqual(
      [thread?.kind, thread?.stackTrace],
      ['pool', ['(no JavaScript stack)', 'at kernel futex_do_wait']],
    );
  });

  test('a stack without a thread is shown all the same, as one that has just ended', () => {
    assert.deepEqual(shown(dumpOf([js(7, 'gone', ['at x'])], [main])).at(-1), ['gone', 7, 'at x']);
  });

  test('where the system tells nothing the stacks are left', () => {
    const dump = dumpOf([js(0, 'main', []), js(1, 'w', ['at x'])], undefined);
    assert.deepEqual(
      dump.map(({ threadName, threadState }) => [threadName, threadState]),
      [
        ['main', 'WAITING'],
        ['w', 'RUNNABLE'],
      ],
    );
  });

  const states: ReadonlyArray<readonly [what: string, stack: string[] | undefined, state: string]> = [
    ['within JavaScript it runs', ['at x'], 'RUNNABLE'],
    ['in a wait for memory it does as the system says', ['at Atomics.wait (<anonymous>)'], 'TIMED_WAITING'],
    ['without a stack it does as the system says', [], 'TIMED_WAITING'],
    ['without an answer it does as the system says', undefined, 'TIMED_WAITING'],
  ];
  for (const [what, stack, state] of states) {
    test(`the state of a thread: ${what}`, () => {
      const [thread] = dumpOf([js(0, 'main', stack)], [{ ...main, state: 'TIMED_WAITING' }]);
      assert.equal(thread?.threadState, state);
    });
  }
});
