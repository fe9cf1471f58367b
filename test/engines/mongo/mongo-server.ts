import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const folder = import.meta.dirname;
const pomPath = join(folder, 'pom.xml');
const cache = join(homedir(), '.cache', 'gatehouse-engines');

// By its full name: a short one that cannot be looked up hides that nobody answers.
const classpathPlugin = 'org.apache.maven.plugins:maven-dependency-plugin:2.8';

const FETCH_MS = 600_000;
const START_MS = 30_000;
const PAUSE_MS = 100;

/** What Maven says when nobody answers it, as opposed to an answer that something is wrong. */
const nobodyAnswers =
  /UnknownHost|Unknown host|Connection (refused|timed out|reset)|Network is unreachable|timed out|status code: 50[234]/;

/** Where the server's classes are, or why they cannot be had. */
export type Fetched =
  | { readonly classpath: string }
  | { readonly missing: string; readonly isReachable: boolean };

/** Fetches mongo-java-server by its name, once. */
export function fetchMongoServer(): Fetched {
  for (const command of ['java', 'mvn']) {
    if (spawnSync(command, ['-version']).error)
      return { missing: `there is no ${command} on this machine`, isReachable: true };
  }
  const fingerprint = createHash('sha256').update(readFileSync(pomPath)).digest('hex').slice(0, 12);
  const classpathFile = join(cache, `mongo-server-${fingerprint}.classpath`);
  const known = readClasspath(classpathFile);
  if (known) return { classpath: known };
  mkdirSync(cache, { recursive: true });
  const { stdout, stderr } = spawnSync(
    'mvn',
    [
      '--batch-mode',
      '--quiet',
      '--update-snapshots',
      '--file',
      pomPath,
      `-Dmaven.repo.local=${join(cache, 'maven')}`,
      `-Dmdep.outputFile=${classpathFile}`,
      `${classpathPlugin}:build-classpath`,
    ],
    { encoding: 'utf8', timeout: FETCH_MS },
  );
  const classpath = readClasspath(classpathFile);
  if (classpath) return { classpath };
  const output = stdout + stderr;
  return {
    missing: `Maven could not fetch the server: ${output.trim().split('\n')[0]}`,
    isReachable: !nobodyAnswers.test(output),
  };
}

function readClasspath(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  const classpath = readFileSync(path, 'utf8').trim();
  return classpath.split(delimiter).every((jar) => existsSync(jar)) ? classpath : undefined;
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
