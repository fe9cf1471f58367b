import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ServerCommand } from '../server-process.ts';

export const GO_HTTPBIN = 'v2.26.0';
export const PY_HTTPBIN = '0.10.4';

const cache = process.env.GATEHOUSE_BENCH_CACHE ?? join(homedir(), '.cache', 'gatehouse-bench');

/** go-httpbin, built by the Go toolchain from its module; undefined where there is none. */
export function goHttpbin(port: number): ServerCommand | undefined {
  const binary = join(cache, `go-httpbin-${GO_HTTPBIN}`, 'go-httpbin');
  if (!existsSync(binary)) {
    const built = attempt(
      'go',
      ['install', `github.com/mccutchen/go-httpbin/v2/cmd/go-httpbin@${GO_HTTPBIN}`],
      {
        GOBIN: join(cache, `go-httpbin-${GO_HTTPBIN}`),
      },
    );
    if (!built) return undefined;
  }
  return {
    name: 'go-httpbin',
    command: binary,
    args: ['-host', '127.0.0.1', '-port', String(port), '-log-level', 'ERROR'],
  };
}

/** python httpbin under gunicorn, in a virtual environment of its own; undefined where there is no Python. */
export function pythonHttpbin(port: number, workers: number): ServerCommand | undefined {
  const folder = join(cache, `httpbin-${PY_HTTPBIN}`);
  const gunicorn = join(folder, 'bin', 'gunicorn');
  if (!existsSync(gunicorn)) {
    const isInstalled =
      attempt('python3', ['-m', 'venv', folder]) &&
      attempt(join(folder, 'bin', 'pip'), [
        'install',
        '-q',
        `httpbin==${PY_HTTPBIN}`,
        'gunicorn',
        'setuptools<81',
      ]);
    if (!isInstalled) return undefined;
  }
  return {
    name: 'python httpbin (gunicorn)',
    command: gunicorn,
    args: ['-b', `127.0.0.1:${port}`, '-w', String(workers), '--log-level', 'error', 'httpbin:app'],
  };
}

function attempt(command: string, args: string[], env: Record<string, string> = {}): boolean {
  mkdirSync(cache, { recursive: true });
  try {
    execFileSync(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe'] });
    return true;
  } catch (error) {
    console.error(`could not run ${command} ${args.join(' ')}: ${(error as Error).message.split('\n')[0]}`);
    return false;
  }
}
