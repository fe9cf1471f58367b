import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const STARTS_WITHIN_MS = 20_000;

/** Debian's redis-server, or Valkey's, whichever is installed. */
export function findRedisServer(): string | undefined {
  return ['redis-server', 'valkey-server'].find(
    (name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0,
  );
}

/** A real server on a port of its own, which can be killed and started again. */
export class RedisServerProcess {
  readonly port: number;
  readonly #binary: string;
  readonly #folder: string;
  readonly #flags: readonly string[];
  #process: ChildProcess | undefined;

  private constructor(binary: string, port: number, flags: readonly string[]) {
    this.#binary = binary;
    this.port = port;
    this.#flags = flags;
    this.#folder = mkdtempSync(join(tmpdir(), 'gatehouse-redis-'));
  }

  static async start(binary: string, ...flags: string[]): Promise<RedisServerProcess> {
    const server = new RedisServerProcess(binary, await freePort(), flags);
    await server.restart();
    return server;
  }

  /** Waits until it answers. What it held before is gone. */
  async restart(): Promise<void> {
    const place = ['--port', String(this.port), '--bind', '127.0.0.1', '--dir', this.#folder];
    const quiet = ['--save', '', '--appendonly', 'no', '--enable-debug-command', 'local'];
    this.#process = spawn(this.#binary, [...place, ...quiet, ...this.#flags], { stdio: 'ignore' });
    const deadlineMs = Date.now() + STARTS_WITHIN_MS;
    for (;;) {
      const answer = await this.cli('PING').catch(() => '');
      if (/PONG|NOAUTH/.test(answer)) return;
      if (Date.now() > deadlineMs) throw new Error(`redis-server did not start on port ${this.port}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Runs one command with the server's own client. */
  async cli(...args: string[]): Promise<string> {
    const client = this.#binary.replace('-server', '-cli');
    const { stdout } = await run(client, ['-p', String(this.port), ...args], { timeout: 30_000 });
    return stdout.trim();
  }

  async kill(): Promise<void> {
    const child = this.#process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Three primaries that share the slots. */
export async function startRedisCluster(binary: string): Promise<RedisServerProcess[]> {
  const flags = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '2000'];
  const nodes = await Promise.all([0, 1, 2].map(() => RedisServerProcess.start(binary, ...flags)));
  const addresses = nodes.map(({ port }) => `127.0.0.1:${port}`);
  await nodes[0]!.cli('--cluster', 'create', ...addresses, '--cluster-yes');
  const deadlineMs = Date.now() + STARTS_WITHIN_MS;
  for (const node of nodes) {
    while (!(await node.cli('CLUSTER', 'INFO')).includes('cluster_state:ok')) {
      if (Date.now() > deadlineMs) throw new Error('the Redis cluster did not come together');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  return nodes;
}

/** A cluster node also listens on the port 10000 above its own. */
export async function freePort(): Promise<number> {
  for (;;) {
    const server = net.createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    if (port < 55_535) return port;
  }
}
