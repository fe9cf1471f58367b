import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../../kernel/clock.ts';
import { readOptions } from '../../../kernel/options.ts';
import type { OperatorConsole } from '../../operator/operator-console.ts';
import { runIndexCleanup } from '../index-cleanup.ts';
import type { Pace } from '../run-operation.ts';
import { indexCleanupOptions } from '../settings.ts';

export type Variables = Readonly<Record<string, string>>;

export interface CleanupSession {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
  /** The lines that begin with `ERROR: `, without it. */
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
  /** The calls as they were echoed. */
  readonly echoes: readonly string[];
  /** What the operator was asked. */
  readonly questions: readonly string[];
}

export interface SessionOptions {
  readonly flags?: readonly string[];
  /** What the operator types; undefined is the end of the input. Without it nobody sits there. */
  readonly answers?: ReadonlyArray<string | undefined>;
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  readonly pace?: Partial<Pace>;
}

const quickPace: Pace = { pollMs: 20, patienceMs: 2000, cancelMs: 10_000, answerMs: 10_000 };

/** Pauses are over at once, for runs that are never cancelled. */
export const quickClock: Clock = {
  now: Date.now,
  sleep: (ms, signal) => delay(Math.min(ms, 20), undefined, { signal }),
};

/** A working directory in which the command is run, as an operator would, but within this process. */
export class WorkingDirectory implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'gatehouse-index-cleanup-'));

  files(): string[] {
    return readdirSync(this.path).sort();
  }

  // biome-ignore lint/suspicious/noExplicitAny: result files of every shape are looked at
  json(name: string): any {
    return JSON.parse(readFileSync(join(this.path, name), 'utf8'));
  }

  async run(variables: Variables, options: SessionOptions = {}): Promise<CleanupSession> {
    let [out, err] = ['', ''];
    const questions: string[] = [];
    const answers = [...(options.answers ?? [])];
    const console: OperatorConsole = {
      out: (text) => {
        out += text;
      },
      err: (text) => {
        err += text;
      },
      canAsk: options.answers !== undefined,
      isTerminal: false,
      hasColour: false,
      ask: async (question) => {
        questions.push(question);
        return answers.shift();
      },
    };
    const exitCode = await runIndexCleanup(readOptions(indexCleanupOptions, options.flags ?? [], variables), {
      console,
      environment: variables,
      folder: this.path,
      signal: options.signal ?? new AbortController().signal,
      pace: { ...quickPace, ...options.pace },
      ...(options.clock && { clock: options.clock }),
    });
    const linesAfter = (start: string) =>
      err
        .split('\n')
        .filter((line) => line.startsWith(start))
        .map((line) => line.slice(start.length));
    return {
      exitCode,
      out,
      err,
      errors: linesAfter('ERROR: '),
      warnings: linesAfter('WARNING: '),
      echoes: linesAfter('>> '),
      questions,
    };
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
