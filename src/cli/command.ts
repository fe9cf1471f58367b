import { accessSync, constants, mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { logLevels } from '../kernel/log.ts';
import {
  describeOptions,
  type OptionTable,
  type OptionValues,
  option,
  UsageError,
} from '../kernel/options.ts';

/** One word after `gatehouse`. */
export interface Command<Table extends OptionTable = OptionTable> {
  readonly name: string;
  readonly summary: string;
  readonly options: Table;
  /** Stands behind the flags in the help text: examples, exit codes. */
  readonly details?: string;
  /** What a line begins with that tells of a wrong setting; `gatehouse:` unless given. */
  readonly errorPrefix?: string;
  /** Resolves with the exit code. */
  run(values: OptionValues<Table>): Promise<number>;
}

/** Keeps the types of a command's options together with its `run`. */
export function command<Table extends OptionTable>(definition: Command<Table>): Command {
  return definition as unknown as Command;
}

/** Flags that every serving command has. */
export const commonOptions = {
  host: option.text('host', '127.0.0.1', { description: 'address to listen on' }),
  data: option.text('data', './.gatehouse', { description: 'data folder' }),
  logLevel: option.choice('log-level', logLevels, 'info', {
    description: 'least severe log line on standard error',
  }),
  shutdownTimeout: option.duration('shutdown-timeout', 10_000, {
    description: 'time for running exchanges to finish after SIGINT or SIGTERM',
  }),
};

/** A command that serves until it is stopped. A data folder it cannot use is refused before anything listens. */
export function servingCommand<Table extends typeof commonOptions & OptionTable>(
  definition: Command<Table>,
): Command {
  return command({
    ...definition,
    run: async (values) => {
      openDataFolder((values as OptionValues<typeof commonOptions>).data);
      return definition.run(values);
    },
  });
}

function openDataFolder(data: string): void {
  const folder = resolve(data);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new UsageError(`--data: ${folder} ${FOLDER_REASONS[code] ?? `cannot be used (${code})`}`);
  }
}

const FOLDER_REASONS: Readonly<Record<string, string>> = {
  EEXIST: 'is no folder',
  ENOTDIR: 'is no folder',
  EACCES: 'may not be written by this user',
  EPERM: 'may not be written by this user',
  EROFS: 'is on a disk that is read-only',
};

export function helpOf({ name, summary, options, details }: Command): string {
  const flags = `${describeOptions(options)}\n`;
  return `${summary}\n\nUsage: gatehouse ${name} [flags]\n\nFlags:\n${flags}${details === undefined ? '' : `\n${details}`}`;
}
