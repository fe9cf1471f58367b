import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';

type Tool = 'openssl' | 'keytool';

/** The path of a file in a folder of the test's own, written when there is content for it. */
type Put = (name: string, content?: string | Buffer) => string;

/** Runs the tool and gives all that it printed; an exit code that is not zero fails the test. */
type Run = (...args: string[]) => string;

/**
 * A test that asks an independent tool as a witness. Without the tool it is skipped and says so;
 * where skipping is forbidden it fails.
 */
export function testWith(tool: Tool, name: string, body: (run: Run, put: Put) => void | Promise<void>): void {
  test(`${tool}: ${name}`, async (context) => {
    if (spawnSync(tool, ['help']).error) return missing(context, tool);
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-pki-'));
    try {
      await body(runner(tool), (file, content) => {
        const path = join(folder, file);
        if (content !== undefined) writeFileSync(path, content);
        return path;
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

function missing(context: TestContext, tool: Tool): void {
  if (process.env.GATEHOUSE_TEST_FORBID_SKIP === '1') throw new Error(`${tool} is not installed`);
  context.skip(`${tool} is not installed`);
}

function runner(tool: Tool): Run {
  return (...args) => {
    // keytool prints in the language of the machine.
    const all = tool === 'keytool' ? [...args, '-J-Duser.language=en'] : args;
    const { status, stdout, stderr } = spawnSync(tool, all, { encoding: 'utf8', timeout: 60_000 });
    if (status !== 0) throw new Error(`${tool} ${all.join(' ')} ended with ${status}:\n${stdout}${stderr}`);
    return stdout + stderr;
  };
}
