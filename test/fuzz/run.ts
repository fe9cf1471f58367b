/** `node test/fuzz/run.ts [--cases n] [--seed n]`: the differential fuzzer by hand, with a new seed each time. */
import { parseArgs } from 'node:util';
import { describeFailure, runCampaign } from './http1-differential.ts';

const { values } = parseArgs({
  options: { cases: { type: 'string', default: '1000000' }, seed: { type: 'string' } },
});
const cases = wholeNumber('cases', values.cases);
const seed =
  values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : wholeNumber('seed', values.seed);

console.log(`seed ${seed}, ${cases} cases`);
const startedAtMs = performance.now();
const outcome = await runCampaign({
  seed,
  cases,
  onProgress: (doneCount, failureCount) => {
    if (process.stderr.isTTY) process.stderr.write(`\r${doneCount} of ${cases}, ${failureCount} failed`);
  },
});
if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');

for (const failure of outcome.failures) console.log(describeFailure(seed, failure));
const byCount = [...outcome.explained].sort(([, one], [, other]) => other - one);
for (const [id, count] of byCount) console.log(`${String(count).padStart(8)} known difference: ${id}`);
console.log(`${outcome.requestCount} requests read whole, ${outcome.refusedCount} connections refused`);
console.log(`took ${((performance.now() - startedAtMs) / 1000).toFixed(1)} s`);
console.log(`${outcome.caseCount - outcome.failures.length} passed, ${outcome.failures.length} failed`);
process.exitCode = outcome.failures.length === 0 ? 0 : 1;

function wholeNumber(name: string, text: string): number {
  if (/^[0-9]{1,15}$/.test(text)) return Number(text);
  console.error(`--${name} must be a whole number, not '${text}'`);
  process.exit(2);
}
