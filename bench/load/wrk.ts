import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isInstalled } from './debian-package.ts';

export interface Load {
  readonly path: string;
  readonly method?: string;
  readonly body?: string;
  readonly contentType?: string;
  /** Such as `Authorization: Bearer …`. */
  readonly headers?: readonly string[];
}

export interface LoadResult {
  readonly requests: number;
  readonly requestsPerSecond: number;
  readonly p99Ms: number;
  readonly failures: number;
}

/** wrk is small enough to leave the cores to the server. Installed from the distribution when it is missing and we may. */
export function requireWrk(): void {
  if (!isInstalled('wrk')) throw new Error('this benchmark needs the load generator wrk on the PATH');
}

export async function runWrk(
  port: number,
  load: Load,
  options: { seconds: number; connections: number },
): Promise<LoadResult> {
  const args = ['-t1', `-c${options.connections}`, `-d${options.seconds}s`, '--latency', '--timeout', '10s'];
  if (load.method) args.push('-s', writeScript(load));
  for (const field of load.headers ?? []) args.push('-H', field);
  args.push(`http://127.0.0.1:${port}${load.path}`);
  const { stdout } = await promisify(execFile)('wrk', args);
  const read = (pattern: RegExp) => Number(pattern.exec(stdout)?.[1] ?? Number.NaN);
  const p99 = /99%\s+([\d.]+)(us|ms|s)/.exec(stdout);
  return {
    requests: read(/(\d+) requests in/),
    requestsPerSecond: read(/Requests\/sec:\s+([\d.]+)/),
    p99Ms: p99 ? Number(p99[1]) * { us: 0.001, ms: 1, s: 1000 }[p99[2] as 'us' | 'ms' | 's'] : Number.NaN,
    failures: read(/Non-2xx or 3xx responses: (\d+)/) || 0,
  };
}

function writeScript({ method, body = '', contentType = 'application/octet-stream' }: Load): string {
  const path = join(mkdtempSync(join(tmpdir(), 'bench-')), 'request.lua');
  writeFileSync(
    path,
    `wrk.method = ${JSON.stringify(method)}\nwrk.body = ${JSON.stringify(body)}\nwrk.headers["Content-Type"] = ${JSON.stringify(contentType)}\n`,
  );
  return path;
}
