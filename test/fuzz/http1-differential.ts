import type { Disagreement } from './disagreement.ts';
import { type ReadingOptions, readWithEngine, tightLimits } from './engine-reading.ts';
import { type KnownDifference, knownDifferences } from './known-differences.ts';
import { LlhttpReader } from './llhttp-reading.ts';
import { randomOfCase } from './random.ts';
import { firstDifference, isSameEnd, type Reading } from './reading.ts';
import { generateCuts, generateWire } from './request-generator.ts';

export interface Outcome {
  readonly caseCount: number;
  /** Requests the engine took and read to their end. */
  readonly requestCount: number;
  /** Cases in which the engine refused something. */
  readonly refusedCount: number;
  /** How often each known difference explained a case. */
  readonly explained: ReadonlyMap<string, number>;
  readonly failures: readonly Failure[];
}

export interface Failure {
  readonly caseNo: number;
  readonly wire: string;
  readonly what: string;
  readonly readings: Readonly<Record<string, Reading>>;
}

export interface Campaign {
  readonly seed: number;
  readonly cases: number;
  /** Given up after so many. */
  readonly maxFailures?: number;
  readonly onProgress?: (doneCount: number, failureCount: number) => void;
}

const PROGRESS_EVERY = 10_000;

/** How the engine is set up when whole and cut input are compared. */
const ways: readonly (ReadingOptions & { readonly what: string })[] = [
  { what: 'in the strict mode' },
  { what: 'in the strict mode' },
  { what: 'in the lenient mode', isLenient: true },
  { what: 'under tight limits', limits: tightLimits },
];

const llhttp = new LlhttpReader();

/**
 * Feeds the same bytes to the engine, to the engine in pieces, and to llhttp. The first two must agree in everything;
 * the engine and llhttp must agree in which requests there are and what stands in them, unless the way in which they
 * differ is known.
 */
export async function runCampaign({ seed, cases, maxFailures = 10, onProgress }: Campaign): Promise<Outcome> {
  const explained = new Map<string, number>();
  const failures: Failure[] = [];
  let requestCount = 0;
  let refusedCount = 0;
  let caseNo = 0;
  for (; caseNo < cases && failures.length < maxFailures; caseNo++) {
    const random = randomOfCase(seed, caseNo);
    const wire = generateWire(random);
    const bytes = Buffer.from(wire, 'latin1');
    const ours = await readWithEngine(bytes);
    for (const { isComplete } of ours.messages) if (isComplete) requestCount++;
    if (ours.end.kind === 'refused') refusedCount++;

    const cuts = generateCuts(bytes.length, random);
    const { what: circumstances, ...options } = ways[caseNo % ways.length]!;
    const whole = options.limits || options.isLenient ? await readWithEngine(bytes, options) : ours;
    const inPieces = await readWithEngine(bytes, { ...options, cuts });
    if (firstDifference(whole, inPieces) !== undefined || !isSameEnd(whole, inPieces)) {
      failures.push({
        caseNo,
        wire,
        what: `pieces are read differently ${circumstances}`,
        readings: { whole, inPieces },
      });
    }
    const disagreement = compareWithLlhttp(wire, ours);
    if (disagreement !== undefined) {
      const known = explanationOf(disagreement);
      if (known !== undefined) explained.set(known.id, (explained.get(known.id) ?? 0) + 1);
      else failures.push(failureOf(caseNo, disagreement));
    }
    if (caseNo % PROGRESS_EVERY === 0) onProgress?.(caseNo, failures.length);
  }
  return { caseCount: caseNo, requestCount, refusedCount, explained, failures };
}

export function compareWithLlhttp(wire: string, ours: Reading): Disagreement | undefined {
  const theirs = llhttp.read(Buffer.from(wire, 'latin1'));
  const difference = firstDifference(ours, theirs);
  return difference === undefined ? undefined : { wire, difference, ours, theirs };
}

export function explanationOf(disagreement: Disagreement): KnownDifference | undefined {
  return knownDifferences.find((known) => known.explains(disagreement));
}

function failureOf(caseNo: number, { wire, difference, ours, theirs }: Disagreement): Failure {
  const what = `request ${difference.messageNo + 1} differs in: ${difference.aspect}`;
  return { caseNo, wire, what, readings: { ours, llhttp: theirs } };
}

/** With everything needed to see it again. */
export function describeFailure(seed: number, { caseNo, wire, what, readings }: Failure): string {
  const lines = [`seed ${seed}, case ${caseNo}: ${what}`, `  bytes: ${escaped(wire)}`];
  for (const [name, reading] of Object.entries(readings)) lines.push(`  ${name}: ${escaped(reading)}`);
  return lines.join('\n');
}

function escaped(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\x7f-\uffff]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
