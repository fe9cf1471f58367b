import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { OUT_OF_REACH } from '../runner/test-report.ts';

const cache = join(homedir(), '.cache', 'gatehouse-engines');

// By its full name: a short one that cannot be looked up hides that nobody answers.
const classpathPlugin = 'org.apache.maven.plugins:maven-dependency-plugin:2.8';

const FETCH_MS = 600_000;

/** What Maven says when nobody answers it, as opposed to an answer that something is wrong. */
const nobodyAnswers =
  /UnknownHost|Unknown host|Connection (refused|timed out|reset)|Network is unreachable|timed out|status code: 50[234]/;

/** Where the classes of a server are, or why they cannot be had. */
export type Fetched = { readonly classpath: string } | { readonly missing: string };

/** Fetches what a project file names, with everything it needs, once. */
export function fetchClasspath(name: string, pomPath: string): Fetched {
  for (const command of ['java', 'mvn']) {
    if (spawnSync(command, ['-version']).error) return { missing: `there is no ${command} on this machine` };
  }
  const fingerprint = createHash('sha256').update(readFileSync(pomPath)).digest('hex').slice(0, 12);
  const classpathFile = join(cache, `${name}-${fingerprint}.classpath`);
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
  const missing = `Maven could not fetch ${name}: ${output.trim().split('\n')[0]}`;
  return { missing: nobodyAnswers.test(output) ? OUT_OF_REACH + missing : missing };
}

function readClasspath(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  const classpath = readFileSync(path, 'utf8').trim();
  return classpath.split(delimiter).every((jar) => existsSync(jar)) ? classpath : undefined;
}
