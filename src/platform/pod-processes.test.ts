import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PodProcesses } from './pod-processes.ts';

test('a process that is started anew takes the place of the one that died', () => {
  const processes = new PodProcesses();
  processes.tell({ index: 1, processId: 11, port: 7001 });
  processes.tell({ index: 0, processId: 10, port: 7000 });
  processes.tell({ index: 1, processId: 12, port: 7002 });
  assert.deepEqual(processes.all(), [
    { index: 0, processId: 10, port: 7000 },
    { index: 1, processId: 12, port: 7002 },
  ]);
});

test('a port has one owner: who had it before is gone, and questions for it do not reach another', () => {
  const processes = new PodProcesses();
  processes.tell({ index: 0, processId: 10, port: 7000 });
  processes.tell({ index: 1, processId: 12, port: 7000 });
  assert.deepEqual(processes.all(), [{ index: 1, processId: 12, port: 7000 }]);
});
