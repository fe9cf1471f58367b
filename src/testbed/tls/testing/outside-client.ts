import { spawn } from 'node:child_process';
import type { TestContext } from 'node:test';

export interface ToolResult {
  /** Null when the tool is not installed. */
  readonly exitCode: number | null;
  readonly output: string;
}

const DEADLINE_MS = 20_000;

/** Runs a program beside this process, which goes on serving it meanwhile. */
export function runTool(tool: string, args: readonly string[], input = ''): Promise<ToolResult> {
  return new Promise((resolve) => {
    const child = spawn(tool, args, { timeout: DEADLINE_MS });
    let output = '';
    child.on('error', () => resolve({ exitCode: null, output: `${tool} is not installed` }));
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      output += chunk;
    });
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    child.on('close', (code) => resolve({ exitCode: code ?? -1, output }));
  });
}

/** Whether the tool is there; without it the test is skipped and says so, or fails where skipping is forbidden. */
export async function hasTool(context: TestContext, tool: string, ...probe: string[]): Promise<boolean> {
  if ((await runTool(tool, probe)).exitCode !== null) return true;
  if (process.env.GATEHOUSE_TEST_FORBID_SKIP === '1') throw new Error(`${tool} is not installed`);
  context.skip(`${tool} is not installed`);
  return false;
}
