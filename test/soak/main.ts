/** `npm run soak -- NAME [--seconds n] [--seed n]`: one part under random faults for minutes; ends with 1 when anything is wrong. */
import { parseArgs } from 'node:util';
import { soakDelivery } from './delivery.ts';

export interface SoakOptions {
  readonly seconds: number;
  readonly seed: number;
}

/** What went wrong, in words; empty when nothing did. */
type Soak = (options: SoakOptions) => Promise<readonly string[]>;

const soaks: Readonly<Record<string, Soak>> = { delivery: soakDelivery };

const [name, ...argv] = process.argv.slice(2);
const soak = soaks[name ?? ''];
if (!soak) {
  console.error(`usage: npm run soak -- <${Object.keys(soaks).join('|')}> [--seconds n] [--seed n]`);
  process.exit(2);
}
const { values } = parseArgs({
  args: argv,
  options: { seconds: { type: 'string', default: '300' }, seed: { type: 'string', default: '20261115' } },
});
const findings = await soak({ seconds: Number(values.seconds), seed: Number(values.seed) });
for (const finding of findings) console.error(`WRONG: ${finding}`);
console.log(findings.length === 0 ? 'soak: nothing wrong' : `soak: ${findings.length} wrong`);
// Not by the exit code alone: what still keeps the process alive would hide behind it.
process.exitCode = findings.length === 0 ? 0 : 1;
