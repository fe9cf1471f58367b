import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OUT_OF_REACH } from '../../runner/test-report.ts';
import { fetchClasspath } from '../maven.ts';
import { findJava } from './java.ts';

const folder = import.meta.dirname;

const START_MS = 240_000;
/** OpenSearch 2 runs on the Java that Debian ships; 3 needs a newer one. */
const javaRanges = { 2: [11, 24], 3: [21, 99] } as const;

export type OpenSearchLine = keyof typeof javaRanges;

/** A real OpenSearch node, or why there is none: without a network the suites are skipped. */
export type StartedOpenSearch = OpenSearchServer | { readonly missing: string };

export interface OpenSearchServer {
  readonly url: string;
  /** Ends it, and removes its files. */
  stop(): Promise<void>;
}

/** Fetches OpenSearch once, and starts one node of it: empty, without security, on a port chosen by the system. */
export async function startOpenSearch(line: OpenSearchLine = 2): Promise<StartedOpenSearch> {
  const [least, most] = javaRanges[line];
  const java = findJava(least, most);
  if (!java) {
    const missing = `there is no Java ${least} or newer on this machine`;
    // Debian's own is enough for the older line.
    return { missing: line === 3 ? OUT_OF_REACH + missing : missing };
  }
  const fetched = fetchClasspath(`opensearch-${line}`, join(folder, `opensearch-${line}.xml`));
  if ('missing' in fetched) return fetched;
  const data = mkdtempSync(join(tmpdir(), `gatehouse-opensearch-${line}-`));
  const remove = () => rmSync(data, { recursive: true, force: true });
  // Java compiles the file by itself. The node ends with its standard input, so that no broken run leaves one.
  const child = spawn(
    java,
    ['-Xms256m', '-Xmx1g', '-cp', fetched.classpath, join(folder, 'OpenSearchMain.java'), data],
    { stdio: ['pipe', 'pipe', 'pipe'], cwd: data },
  );
  try {
    const port = await portOf(child);
    // A test file that ends without stopping it must not wait for it.
    for (const handle of [child, child.stdin, child.stdout, child.stderr])
      (handle as { unref?(): void }).unref?.();
    return {
      url: `http://127.0.0.1:${port}`,
      stop: async () => {
        child.ref();
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
        remove();
      },
    };
  } catch (error) {
    child.kill('SIGKILL');
    remove();
    throw error;
  }
}

async function portOf(child: ChildProcess): Promise<string> {
  let said = '';
  // Its log is read, so that it never waits for us, and kept only for the case that it does not start.
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-4000);
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), START_MS);
  try {
    for await (const text of child.stdout!.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
      const port = /^port (\d+)$/m.exec(text)?.[1];
      if (port) return port;
    }
    throw new Error(`OpenSearch did not start: ${said}`);
  } finally {
    clearTimeout(timer);
  }
}
