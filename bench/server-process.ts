import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';

export interface ServerCommand {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A server under measurement, in a process (or several) of its own. */
export class ServerProcess {
  readonly name: string;
  readonly port: number;
  readonly #child: ChildProcess;

  private constructor(name: string, port: number, child: ChildProcess) {
    this.name = name;
    this.port = port;
    this.#child = child;
  }

  static async start({ name, command, args, env }: ServerCommand, port: number): Promise<ServerProcess> {
    const child = spawn(command, args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    });
    let complaints = '';
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      complaints = (complaints + text).slice(-2000);
    });
    const failed = once(child, 'exit').then(() => {
      throw new Error(`${name} ended before it answered: ${complaints}`);
    });
    failed.catch(() => {});
    await Promise.race([untilAccepting(port), failed]);
    return new ServerProcess(name, port, child);
  }

  /** Processor time used so far by the process and all its descendants. */
  cpuMs(): number {
    return sumOverTree(this.#child.pid!, (fields) => (Number(fields[13]) + Number(fields[14])) * 10);
  }

  residentBytes(): number {
    return sumOverTree(this.#child.pid!, (fields) => Number(fields[23]) * 4096);
  }

  /** It stands still until it is stopped. */
  freeze(): void {
    process.kill(-this.#child.pid!, 'SIGSTOP');
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    process.kill(-this.#child.pid!, 'SIGTERM');
    // One that stands still hears nothing else.
    process.kill(-this.#child.pid!, 'SIGCONT');
    const timer = setTimeout(() => process.kill(-this.#child.pid!, 'SIGKILL'), 5000);
    await ended;
    clearTimeout(timer);
  }
}

async function untilAccepting(port: number): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (Date.now() < deadline) {
    if (await accepts(port)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`nothing answers on port ${port}`);
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** Fields of /proc/PID/stat, counted from 0 with the command name as one field. */
function sumOverTree(root: number, read: (fields: string[]) => number): number {
  const byPid = new Map<number, string[]>();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const fields = statFields(entry);
    if (fields) byPid.set(Number(entry), fields);
  }
  const isInTree = (pid: number): boolean => {
    for (let current = pid; current > 1; current = Number(byPid.get(current)?.[3] ?? 0)) {
      if (current === root) return true;
    }
    return false;
  };
  let sum = 0;
  for (const [pid, fields] of byPid) if (isInTree(pid)) sum += read(fields);
  return sum;
}

function statFields(pid: string): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const nameEnd = text.lastIndexOf(')');
    return [pid, text.slice(0, nameEnd + 1), ...text.slice(nameEnd + 2).split(' ')];
  } catch {
    return undefined;
  }
}
