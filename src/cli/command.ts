import { logLevels } from '../kernel/log.ts';
import { describeOptions, type OptionTable, type OptionValues, option } from '../kernel/options.ts';

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

export function helpOf({ name, summary, options, details }: Command): string {
  const flags = `${describeOptions(options)}\n  --help  this text\n`;
  return `${summary}\n\nUsage: gatehouse ${name} [flags]\n\nFlags:\n${flags}${details === undefined ? '' : `\n${details}`}`;
}
