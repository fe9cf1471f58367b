import { readFileSync } from 'node:fs';
import { availableParallelism, homedir, release, tmpdir, totalmem, type, userInfo } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { Type } from 'typebox';
import { version } from '../kernel/version.ts';
import { type Diagnostic, everyModule } from './diagnostic.ts';
import { maskedArguments, maskedVariables, secretValuesOf } from './secret-masking.ts';

export const environment: Diagnostic = {
  name: 'env',
  key: 'env',
  modules: everyModule,
  summary: 'Environment variables and system properties.',
  description:
    'Secrets are masked: by their names, by their form, and wherever the value of one is repeated.',
  content: Type.Object({
    environmentVariables: Type.Record(Type.String(), Type.String()),
    systemProperties: Type.Record(Type.String(), Type.String(), {
      description: 'Versions, options, limits and flags of the process.',
    }),
  }),
  collect: ({ secrets }) => ({
    environmentVariables: maskedVariables(process.env, secrets),
    systemProperties: systemProperties([...secrets, ...secretValuesOf(process.env)]),
  }),
};

function systemProperties(secrets: readonly string[]): Record<string, string> {
  return {
    'gatehouse.version': version,
    ...versions(),
    'node.release': process.release.name,
    'node.options': maskedArguments((process.env.NODE_OPTIONS ?? '').split(' '), secrets).join(' '),
    'node.execArgv': maskedArguments(process.execArgv, secrets).join(' '),
    'node.argv': maskedArguments(process.argv, secrets).join(' '),
    'node.maxOldSpace.bytes': String(getHeapStatistics().heap_size_limit),
    'libuv.threadpool.size': process.env.UV_THREADPOOL_SIZE ?? '4',
    'os.name': type(),
    'os.version': release(),
    'os.arch': process.arch,
    'os.availableProcessors': String(availableParallelism()),
    'os.constrainedMemory.bytes': constrainedMemory(),
    'user.name': userName(),
    'user.dir': process.cwd(),
    'user.home': homedir(),
    'user.timezone': Intl.DateTimeFormat().resolvedOptions().timeZone,
    'user.language': Intl.DateTimeFormat().resolvedOptions().locale,
    'io.tmpdir': tmpdir(),
    'process.id': String(process.pid),
    'process.parentId': String(process.ppid),
    ...limits(),
  };
}

/** Parts that this build of Node was made without have an empty one. */
function versions(): Record<string, string> {
  const known = Object.entries(process.versions).filter(([, text]) => text);
  return Object.fromEntries(known.map(([name, text]) => [`versions.${name}`, text!]));
}

/** A container without a limit of its own tells one beyond all memory, a system without containers 0. */
function constrainedMemory(): string {
  const bytes = process.constrainedMemory();
  return bytes > 0 && bytes <= totalmem() ? String(bytes) : 'unlimited';
}

/** A user without an entry in the system's list has only a number. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? '');
  }
}

/** `Max open files  1024  4096  files`: soft and hard limit. Only where the system tells them. */
function limits(): Record<string, string> {
  let text: string;
  try {
    text = readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return {};
  }
  const rows = text.matchAll(/^Max (\S.*?) {2,}(\S+) +(\S+)/gm);
  return Object.fromEntries(
    [...rows].map(([, name, soft, hard]) => [`limits.${name!.replaceAll(' ', '-')}`, `${soft} / ${hard}`]),
  );
}
