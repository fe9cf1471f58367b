import { readOptions, UsageError } from '../kernel/options.ts';
import { version } from '../kernel/version.ts';
import { StoreTooNew, StoreUnavailable } from '../store/contract.ts';
import { cache } from './cache.ts';
import { type Command, helpOf } from './command.ts';
import { indexCleanup } from './index-cleanup.ts';
import { integration } from './integration.ts';
import { manager } from './manager.ts';
import { portal } from './portal.ts';
import { replayUnsent } from './replay-unsent.ts';
import { start } from './start.ts';
import { testbed } from './testbed.ts';
import { worker } from './worker.ts';

const commands: readonly Command[] = [
  start,
  testbed,
  manager,
  worker,
  cache,
  integration,
  portal,
  indexCleanup,
  replayUnsent,
];

const EXIT_FAILURE = 1;
const EXIT_USAGE = 2;

/** Runs the command that the arguments name; resolves with the exit code. */
export async function gatehouse([word, ...argv]: string[]): Promise<number> {
  if (word === undefined || word === '--help' || word === 'help') {
    process.stdout.write(overview());
    return word === undefined ? EXIT_USAGE : 0;
  }
  if (word === '--version' || word === 'version') {
    process.stdout.write(`gatehouse ${version}\n`);
    return 0;
  }
  const command = commands.find(({ name }) => name === word);
  if (!command) return refuse(`unknown command '${word}'; see gatehouse --help`);
  if (argv.includes('--help')) {
    process.stdout.write(helpOf(command));
    return 0;
  }
  try {
    return await command.run(readOptions(command.options, argv, process.env));
  } catch (error) {
    const known = asUsageError(error);
    if (known) return refuse(known.message, EXIT_USAGE, command.errorPrefix);
    if (error instanceof StoreUnavailable || error instanceof StoreTooNew)
      return refuse(error.message, EXIT_FAILURE);
    throw error;
  }
}

function overview(): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const rows = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return [
    `gatehouse ${version}: an API gateway platform together with the test service that proves it.`,
    '\nUsage: gatehouse <command> [flags]\n\nCommands:',
    ...rows,
    '\ngatehouse <command> --help lists its flags; each has a GATEHOUSE_* variable.\n',
  ].join('\n');
}

function refuse(message: string, exitCode = EXIT_USAGE, prefix = 'gatehouse:'): number {
  process.stderr.write(`${prefix} ${message}\n`);
  return exitCode;
}

/** A taken or forbidden address is the user's to change, like a bad flag. */
function asUsageError(error: unknown): Error | undefined {
  if (error instanceof UsageError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  const reasons: Record<string, string> = {
    EADDRINUSE: 'is already in use',
    EACCES: 'may not be opened by this user',
    EADDRNOTAVAIL: 'is no address of this machine',
    ENOTFOUND: 'is no known host',
  };
  const reason = code === undefined ? undefined : reasons[code];
  const address = /(\S+)$/.exec(message)?.[1];
  return reason ? new UsageError(`${address} ${reason}`) : undefined;
}
