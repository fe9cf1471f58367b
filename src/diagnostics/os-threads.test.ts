import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { osThreads, stateOf, type ThreadState } from './os-threads.ts';

const skip = process.arch === 'x64' ? false : 'the numbers of system calls are those of x64';

describe('the state of a thread', { skip }, () => {
  const cases: ReadonlyArray<readonly [what: string, letter: string, call: string, state: ThreadState]> = [
    ['running', 'R', 'running', 'RUNNABLE'],
    ['reading a disk', 'D', '0 0x3 0x7f 0x1000', 'RUNNABLE'],
    ['epoll without a time', 'S', '281 0xb 0x7f 0x400 0xffffffff 0x0 0x8', 'WAITING'],
    ['epoll with a time', 'S', '281 0xb 0x7f 0x400 0x3e0 0x0 0x8', 'TIMED_WAITING'],
    ['futex without a time', 'S', '202 0x39 0x189 0x0 0x0 0x0 0xffffffff', 'WAITING'],
    ['futex with a time', 'S', '202 0x39 0x189 0x0 0x7ffd00 0x0 0xffffffff', 'TIMED_WAITING'],
    ['sleeping', 'S', '230 0x0 0x0 0x7f 0x0', 'TIMED_WAITING'],
    ['waiting in a call nobody listed', 'S', '999 0x1', 'WAITING'],
    ['waiting where the system does not tell', 'S', '', 'WAITING'],
    ['stopped', 'T', '', 'WAITING'],
  ];
  for (const [what, letter, call, state] of cases) {
    test(what, () => assert.equal(stateOf(letter, call), state));
  }
});

test('the threads of this process, its main one among them', { skip: process.platform !== 'linux' }, () => {
  const threads = osThreads();
  assert.equal(threads?.find(({ id }) => id === process.pid)?.state, 'RUNNABLE');
  assert.ok(threads && threads.length > 3);
});
