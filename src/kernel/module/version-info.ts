import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { version } from '../version.ts';

export interface VersionInfo {
  readonly module: string;
  readonly version: string;
  readonly commit: string;
  readonly buildTime: string;
  readonly nodeVersion: string;
}

interface Origin {
  readonly commit: string;
  readonly buildTime: string;
}

const UNKNOWN = 'unknown';
const GIT_DEADLINE_MS = 2000;

/** Where this code comes from: an image says it by two variables, a clone asks git, once. */
export function versionInfoOf(
  module: string,
  environment: NodeJS.ProcessEnv = process.env,
): () => Promise<VersionInfo> {
  let asking: Promise<Origin> | undefined;
  return async () => {
    asking ??= originOf(environment);
    return { module, version, ...(await asking), nodeVersion: process.versions.node };
  };
}

async function originOf({ GATEHOUSE_COMMIT, GATEHOUSE_BUILD_TIME }: NodeJS.ProcessEnv): Promise<Origin> {
  if (GATEHOUSE_COMMIT) return { commit: GATEHOUSE_COMMIT, buildTime: GATEHOUSE_BUILD_TIME || UNKNOWN };
  try {
    const { stdout } = await promisify(execFile)('git', ['log', '-1', '--format=%H %cI'], {
      cwd: dirname(fileURLToPath(import.meta.url)),
      timeout: GIT_DEADLINE_MS,
    });
    const [commit = UNKNOWN, buildTime = UNKNOWN] = stdout.trim().split(' ');
    return { commit, buildTime };
  } catch {
    // Neither an image nor a clone, or no git here: there is nothing to tell.
    return { commit: UNKNOWN, buildTime: UNKNOWN };
  }
}
