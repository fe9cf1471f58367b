import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { OUT_OF_REACH } from './test-report.ts';

const program = fileURLToPath(new URL('./run.ts', import.meta.url));
const imports = `import assert from 'node:assert/strict';\nimport { before, describe, it } from 'node:test';\n`;

/** What is reported of a file with these tests. */
function reportOf(tests: string, { isSkippingForbidden = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-report-'));
  const file = join(folder, 'some.test.ts');
  writeFileSync(file, imports + tests);
  // The run inside must not take itself for a part of this one.
  const { NODE_TEST_CONTEXT, ...environment } = process.env;
  const env = { ...environment, GATEHOUSE_TEST_FORBID_SKIP: isSkippingForbidden ? '1' : '0' };
  const { status, stdout } = spawnSync(process.execPath, [program, file], {
    env,
    encoding: 'utf8',
    timeout: 60_000,
  });
  rmSync(folder, { recursive: true, force: true });
  const text = stdout.trimEnd();
  const counts = /^(\d+) passed, (\d+) failed, (\d+) skipped$/m.exec(text)?.slice(1).map(Number);
  return { isGood: status === 0, text, counts, failures: text.split('\nFailed:\n')[1] };
}

const passing = `it('passes', () => {});\n`;

test('a file whose tests pass is one line, and the counts are the last one', () => {
  const { isGood, counts, text } = reportOf(`describe('suite', () => { ${passing} ${passing} });`);
  assert.ok(isGood);
  assert.deepEqual(counts, [2, 0, 0]);
  assert.match(text, /^ +\d+\.\d s +2 {2}\S*some\.test\.ts$/m);
  assert.match(text, /\n1 files in \d+\.\d s\n2 passed, 0 failed, 0 skipped$/);
});

test('what failed stands at the end, with the place, the suites around it and the reason', () => {
  const { isGood, counts, failures } = reportOf(
    `${passing}describe('outer', () => { it('fails', () => assert.equal(1, 2, 'not equal')); });`,
  );
  assert.ok(!isGood);
  assert.deepEqual(counts, [1, 1, 0]);
  assert.match(failures!, /^\n\S*some\.test\.ts:4 {2}outer: fails\n {2}AssertionError.*not equal/);
});

const broken: ReadonlyArray<readonly [how: string, tests: string, counts: number[], said: RegExp]> = [
  [
    'a set-up that fails is told once, and takes its tests with it',
    `describe('suite', () => { before(() => { throw new Error('no start'); }); ${passing} ${passing} });`,
    [0, 3, 0],
    /suite\n {2}Error: no start/,
  ],
  ['a file that cannot be read', `import './nowhere.ts';\n${passing}`, [0, 1, 0], /Cannot find module/],
  [
    'a process that is killed',
    `it('dies', () => process.kill(process.pid, 'SIGKILL'));`,
    [0, 1, 0],
    /SIGKILL/,
  ],
  [
    'an error after the tests',
    `it('leaves', () => void setTimeout(() => { throw new Error('too late'); }, 50));`,
    [1, 1, 0],
    /too late/,
  ],
];
for (const [how, tests, expected, said] of broken) {
  test(`${how}: is a failure that says why`, () => {
    const { isGood, counts, failures } = reportOf(tests);
    assert.ok(!isGood);
    assert.deepEqual(counts, expected);
    assert.match(failures!, said);
  });
}

const skips: ReadonlyArray<readonly [what: string, tests: string]> = [
  ['a test', `it('left out', { skip: 'no tool' }, () => {});`],
  ['a suite', `describe('left out', { skip: 'no tool' }, () => { ${passing} });`],
  ['a test that says so itself', `it('left out', (test) => test.skip('no tool'));`],
];
for (const [what, tests] of skips) {
  test(`${what} that is skipped is named with its reason, and fails the run where that is forbidden`, () => {
    const allowed = reportOf(passing + tests);
    assert.ok(allowed.isGood);
    assert.deepEqual(allowed.counts, [1, 0, 1]);
    assert.match(allowed.text, /^Skipped:\n.*left out: no tool$/m);
    const forbidden = reportOf(passing + tests, { isSkippingForbidden: true });
    assert.ok(!forbidden.isGood);
    assert.deepEqual(forbidden.counts, [1, 1, 0]);
    assert.match(forbidden.failures!, /left out: no tool\n.*forbidden/);
  });
}

test('what lies out of reach may be skipped everywhere', () => {
  const tests = `${passing}it('far', { skip: '${OUT_OF_REACH}no registry' }, () => {});`;
  const { isGood, counts, text } = reportOf(tests, { isSkippingForbidden: true });
  assert.ok(isGood);
  assert.deepEqual(counts, [1, 0, 1]);
  assert.match(text, /far: out of reach: no registry$/m);
});
