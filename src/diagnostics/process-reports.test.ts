import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Type } from 'typebox';
import { Fault } from '../kernel/faults.ts';
import type { PodProcess } from '../platform/pod-processes.ts';
import { type Diagnostic, everyModule } from './diagnostic.ts';
import type { PodReport } from './pod-report.ts';
import { createProcessReports, type ProcessReportsOptions } from './process-reports.ts';
import type { ReportQuestion } from './report-call.ts';
import { summed } from './sums.ts';

const described = { modules: everyModule, summary: '', content: Type.Unknown(), collect: () => undefined };
const chosen: Diagnostic[] = [
  { ...described, name: 'a', key: 'added', combine: (contents: readonly number[]) => summed(contents) },
  { ...described, name: 'f', key: 'first' },
];
const { signal } = new AbortController();
const reportOf = (added: number): PodReport => ({
  podName: 'p',
  podIp: '10.0.0.1',
  envName: 'Development',
  version: '1',
  responseTime: added,
  notice: 'it loads the pod',
  added,
  first: `of ${added}`,
});
const three: PodProcess[] = [0, 1, 2].map((index) => ({ index, processId: 100 + index, port: 7000 + index }));

/** The process 1 of three, whose report holds 10; the others' hold 1 and 100. */
function setUp(overrides: Partial<ProcessReportsOptions> = {}) {
  const asked: ReportQuestion[] = [];
  const reports = createProcessReports({
    place: { index: 1, count: 3 },
    processes: async () => three,
    own: async () => reportOf(10),
    ask: async (question) => {
      asked.push(question);
      return reportOf(question.path.endsWith('=0') ? 1 : 100);
    },
    ...overrides,
  });
  return { reports, asked };
}

describe('reports of a pod of several processes', () => {
  test('are put into one, and listed by process', async () => {
    const { reports, asked } = setUp();
    const report = await reports.ofPod('all', chosen, signal);
    assert.deepEqual(
      [report.podName, report.added, report.first, report.responseTime, report.notice],
      ['p', 111, 'of 1', 100, 'it loads the pod'],
    );
    assert.deepEqual(report.processes, [
      { process: 0, processId: 100, added: 1, first: 'of 1' },
      { process: 1, processId: process.pid, added: 10, first: 'of 10' },
      { process: 2, processId: 102, added: 100, first: 'of 100' },
    ]);
    assert.deepEqual(
      asked.map(({ address, path }) => `${address} ${path}`),
      ['http://127.0.0.1:7000 all?process=0', 'http://127.0.0.1:7002 all?process=2'],
    );
  });

  test('name a process that does not answer, and are there without it', async () => {
    const { reports } = setUp({
      ask: async ({ path, podName }) =>
        path.endsWith('=0') ? reportOf(1) : { podName, podIp: '', responseTime: 3, error: 'no answer: x' },
    });
    const report = await reports.ofPod('all', chosen, signal);
    assert.deepEqual([report.added, report.error], [11, 'process 2: no answer: x']);
    assert.deepEqual((report.processes as object[])[2], {
      process: 2,
      processId: 102,
      error: 'no answer: x',
      added: undefined,
      first: undefined,
    });
  });

  test('name a process that is being started anew', async () => {
    const { reports } = setUp({ processes: async () => three.slice(0, 2) });
    assert.equal((await reports.ofPod('all', chosen, signal)).error, 'process 2: it does not serve yet');
  });

  test('hold at least this process when nobody knows the others', async () => {
    const { reports } = setUp({ processes: () => Promise.reject(new Error('away')) });
    const report = await reports.ofPod('all', chosen, signal);
    assert.equal(report.added, 10);
    assert.match(report.error ?? '', /^process 0: .*; process 2: /);
  });

  test('of one process are its own, or asked of it', async () => {
    const { reports, asked } = setUp();
    assert.equal((await reports.ofProcess(1, 'a', chosen, signal)).added, 10);
    assert.equal(asked.length, 0);
    assert.equal((await reports.ofProcess(2, 'a', chosen, signal)).added, 100);
  });

  test('of a process that there is not are refused', async () => {
    await assert.rejects(
      setUp().reports.ofProcess(3, 'a', chosen, signal),
      (error) => error instanceof Fault && error.status === 400,
    );
  });
});

test('a pod of one process has its report alone', async () => {
  const { reports, asked } = setUp({ place: { index: 0, count: 1 } });
  assert.deepEqual(await reports.ofPod('all', chosen, signal), reportOf(10));
  assert.equal(asked.length, 0);
});
