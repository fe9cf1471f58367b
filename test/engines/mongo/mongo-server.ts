import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Fetched, fetchClasspath } from '../maven.ts';

const folder = import.meta.dirname;

const START_MS = 30_000;
const PAUSE_MS = 100;

/** Fetches mongo-java-server by its name, once. */
export function fetchMongoServer(): Fetched {
  return fetchClasspath('mongo-server', join(folder, 'pom.xml'));
}

/** A server of its own, empty, in memory. */
export class MongoServerProcess {
  readonly port: number;
  readonly #child: ChildProcess;

  static async start(classpath: string): Promise<MongoServerProcess> {
    // Java compiles the file by itself. The server ends with its standard input, so that no broken run leaves one.
    const child = spawn('java', ['-cp', classpath, join(folder, 'MongoServerMain.java')], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), START_MS);
    try {
      let output = '';
      for await (const text of child.stdout!.setEncoding('utf8')) {
        output += text;
        const port = /^port (\d+)$/m.exec(output)?.[1];
        if (port) return new MongoServerProcess(child, Number(port));
      }
      throw new Error(`the server did not start: ${output}`);
    } finally {
      clearTimeout(timer);
    }
  }

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  /** A server that hangs is harder on its clients than one that is gone. */
  async pause(): Promise<void> {
    this.#child.kill('SIGSTOP');
    // The signal reaches its threads one after another.
    await delay(PAUSE_MS);
  }

  resume(): void {
    this.#child.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    const closed = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await closed;
  }
}
