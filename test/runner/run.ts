/**
 * `npm test [-- files or patterns]`: runs the test files, each in a process of its own, and reports in few lines.
 * With `GATEHOUSE_TEST_FORBID_SKIP=1` a test that is skipped fails the run, unless it lies out of reach.
 */
import { globSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from 'node:test';
import { parseArgs } from 'node:util';
import { TestReport } from './test-report.ts';

const everything = ['src/**/*.test.ts', 'test/{conformance,e2e,faults,fuzz,browser,runner}/**/*.test.ts'];
const MINUTE_MS = 60_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'test-minutes': { type: 'string', default: '3' },
    'all-minutes': { type: 'string', default: '20' },
    'at-once': { type: 'string', default: String(Math.max(2, availableParallelism() - 1)) },
  },
});
const files = globSync(positionals.length > 0 ? positionals : everything).sort();
if (files.length === 0) {
  console.error(`no test file matches ${positionals.join(' ')}`);
  process.exit(2);
}

// The test processes, and those that they start, share what was compiled before: most of their start is that.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'node-compile-cache');

const report = new TestReport({
  isSkippingForbidden: process.env.GATEHOUSE_TEST_FORBID_SKIP === '1',
  print: (line) => console.log(line),
});
const events = run({
  files,
  concurrency: Number(values['at-once']),
  timeout: Number(values['test-minutes']) * MINUTE_MS,
  // A file that never ends, for it left something open, must not keep the others from being reported.
  signal: AbortSignal.timeout(Number(values['all-minutes']) * MINUTE_MS),
});
for await (const event of events) report.take(event);
process.exit(report.close() ? 0 : 1);
