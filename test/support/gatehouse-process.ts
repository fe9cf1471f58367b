import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

/** The command line as a user runs it, in a process of its own with an empty data folder; in the working directory of the test unless one is given. */
export class GatehouseProcess {
  readonly child: ChildProcess;
  readonly #data = mkdtempSync(join(tmpdir(), 'gatehouse-'));
  stdout = '';
  stderr = '';

  constructor(argv: readonly string[], environment: Readonly<Record<string, string>> = {}, folder?: string) {
    this.child = spawn(process.execPath, [main, ...argv], {
      // Services of tests that run at the same time would take each other's TLS ports.
      env: { PATH: process.env.PATH, GATEHOUSE_DATA: this.#data, GATEHOUSE_NO_TLS: 'true', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(folder !== undefined && { cwd: folder }),
    });
    this.child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
    });
    this.child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.child.once('close', () => rmSync(this.#data, { recursive: true, force: true }));
  }

  /** The port of the first line `ready <module> <url>`. */
  async ready(): Promise<number> {
    return this.readyPort('\\S+');
  }

  /** The port of the line `ready <module> <url>` of one module. */
  async readyPort(module: string): Promise<number> {
    const line = new RegExp(`^ready ${module} http://\\S+:(\\d+)$`, 'm');
    while (!line.test(this.stdout)) {
      if (this.child.exitCode !== null) throw new Error(`ended with ${this.child.exitCode}: ${this.stderr}`);
      await Promise.race([once(this.child.stdout!, 'data'), once(this.child, 'close')]);
    }
    return Number(line.exec(this.stdout)![1]);
  }

  async exitCode(): Promise<number | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'close');
    return this.child.exitCode;
  }

  async stop(): Promise<number | null> {
    this.child.kill('SIGTERM');
    return this.exitCode();
  }
}
