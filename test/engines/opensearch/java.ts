import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';

/** A Java of this machine whose major version lies in the range; the lowest of them. */
export function findJava(least: number, most: number): string | undefined {
  const { JAVA_HOME } = process.env;
  const candidates = [
    'java',
    ...(JAVA_HOME ? [`${JAVA_HOME}/bin/java`] : []),
    ...globSync('/usr/lib/jvm/*/bin/java'),
  ];
  return candidates
    .map((path) => ({ path, version: majorVersion(path) }))
    .filter(({ version }) => version >= least && version <= most)
    .sort((one, other) => one.version - other.version)[0]?.path;
}

function majorVersion(path: string): number {
  const { stderr } = spawnSync(path, ['-version'], { encoding: 'utf8' });
  return Number(/version "(\d+)/.exec(stderr ?? '')?.[1] ?? 0);
}
