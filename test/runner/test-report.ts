import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';

/** How the reason of a skip begins that nothing on this machine can change: a registry that does not answer, a newer Java. */
export const OUT_OF_REACH = 'out of reach: ';

const SLOWEST = 10;
/** Of what a file that failed has printed by itself. */
const MAX_OUTPUT = 8000;

type Ended = Extract<TestEvent, { type: 'test:pass' | 'test:fail' }>['data'] & {
  /** The tests around it; the runner says it, its types do not know yet. */
  readonly classname?: string;
};

interface FileCounts {
  passed: number;
  failed: number;
  skipped: number;
}

export interface TestReportOptions {
  readonly isSkippingForbidden: boolean;
  readonly print: (line: string) => void;
}

/** One line per file while they run; at the end the slowest files, what was skipped, the counts, and what failed. */
export class TestReport {
  readonly #options: TestReportOptions;
  readonly #beganAtMs = performance.now();
  readonly #files = new Map<string, FileCounts>();
  readonly #durations: Array<readonly [file: string, ms: number]> = [];
  readonly #output = new Map<string, string>();
  readonly #skips: string[] = [];
  readonly #failures: string[] = [];

  constructor(options: TestReportOptions) {
    this.#options = options;
  }

  take(event: TestEvent): void {
    if (event.type === 'test:pass') this.#passed(event.data);
    else if (event.type === 'test:fail') this.#failed(event.data);
    else if (event.type === 'test:stdout' || event.type === 'test:stderr') this.#printed(event.data);
    // What a test left running and what failed afterwards is told as an aside.
    else if (event.type === 'test:diagnostic' && /^(Error|Warning): /.test(event.data.message))
      this.#printed({ ...event.data, message: `${event.data.message}\n` });
    // Every file ends with its own; the last one, of all files together, names none.
    else if (event.type === 'test:summary' && event.data.file !== undefined)
      this.#fileEnded(nameOf(event.data.file), event.data.duration_ms);
  }

  /** Whether everything went well. */
  close(): boolean {
    const { print } = this.#options;
    const slowest = this.#durations.sort(([, one], [, other]) => other - one).slice(0, SLOWEST);
    print('\nSlowest:');
    for (const [file, ms] of slowest) print(`${seconds(ms)}  ${file}`);
    if (this.#skips.length > 0) print(['\nSkipped:', ...this.#skips].join('\n'));
    const totals = { passed: 0, failed: 0, skipped: 0 };
    for (const counts of this.#files.values())
      for (const how of ['passed', 'failed', 'skipped'] as const) totals[how] += counts[how];
    const { passed, failed, skipped } = totals;
    const took = seconds(performance.now() - this.#beganAtMs).trim();
    print(`\n${this.#files.size} files in ${took}`);
    print(`${passed} passed, ${failed} failed, ${skipped} skipped`);
    if (this.#failures.length > 0) print(['\nFailed:', ...this.#failures].join('\n\n'));
    return this.#failures.length === 0;
  }

  #passed(ended: Ended): void {
    if (ended.skip !== undefined) this.#skipped(ended, ended.skip);
    else if (ended.details.type !== 'suite') this.#countsOf(ended).passed++;
  }

  #skipped(ended: Ended, skip: string | boolean): void {
    const reason = typeof skip === 'string' && skip !== '' ? skip : 'no reason given';
    const line = `${titleOf(ended)}: ${reason}`;
    if (this.#options.isSkippingForbidden && !reason.startsWith(OUT_OF_REACH)) {
      this.#fail(ended, `${line}\n  It was skipped, which is forbidden here.`);
      return;
    }
    this.#skips.push(`  ${line}`);
    this.#countsOf(ended).skipped++;
  }

  #failed(ended: Ended & { readonly details: { readonly error: Error } }): void {
    const error = ended.details.error as Error & { failureType?: string };
    if (error.failureType === 'subtestsFailed') return;
    if (error.failureType === 'cancelledByParent') {
      // A suite whose set-up failed takes its tests with it: each is counted, the cause is told once.
      this.#countsOf(ended).failed++;
      return;
    }
    const file = fileOf(ended);
    const isFileItself = nameOf(ended.name) === file;
    // Its process says only that it ended badly, which is no news once a test of it failed.
    if (isFileItself && (this.#files.get(file)?.failed ?? 0) > 0) return;
    const said = isFileItself ? (this.#output.get(file) ?? '') : '';
    const shown = inspect(error.cause instanceof Error ? error.cause : error, { depth: 4 });
    this.#fail(ended, `${titleOf(ended)}\n${indented(said + shown)}`);
    if (isFileItself) this.#options.print(`${seconds(ended.details.duration_ms)}   FAILED  ${file}`);
  }

  #fail(ended: Ended, text: string): void {
    this.#countsOf(ended).failed++;
    this.#failures.push(text);
  }

  #printed({ file, message }: { readonly file?: string | undefined; readonly message: string }): void {
    if (file === undefined) return;
    const name = nameOf(file);
    this.#output.set(name, ((this.#output.get(name) ?? '') + message).slice(-MAX_OUTPUT));
  }

  #fileEnded(file: string, durationMs: number): void {
    this.#durations.push([file, durationMs]);
    const { passed, failed } = this.#files.get(file) ?? { passed: 0, failed: 0 };
    const how = failed > 0 ? `${failed} FAILED` : String(passed);
    this.#options.print(`${seconds(durationMs)} ${how.padStart(8)}  ${file}`);
  }

  #countsOf(ended: Ended): FileCounts {
    const file = fileOf(ended);
    const known = this.#files.get(file);
    if (known) return known;
    const counts = { passed: 0, failed: 0, skipped: 0 };
    this.#files.set(file, counts);
    return counts;
  }
}

/** The file that was run: a test may stand in another one, which that file imports. */
function fileOf(ended: Ended & { readonly entryFile?: string }): string {
  return nameOf(ended.entryFile ?? ended.file ?? ended.name);
}

function nameOf(path: string): string {
  return relative('', path);
}

function titleOf(ended: Ended): string {
  const file = fileOf(ended);
  if (nameOf(ended.name) === file) return file;
  const around = ended.classname === undefined ? '' : `${ended.classname}: `;
  return `${file}:${ended.line ?? 1}  ${around}${ended.name}`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1).padStart(7)} s`;
}

function indented(text: string): string {
  return text.replace(/^/gm, '  ');
}
