import { type OptionTable, type OptionValues, readOptions, UsageError } from '../kernel/options.ts';
import { version } from '../kernel/version.ts';
import { StoreTooNew, StoreUnavailable } from '../store/contract.ts';
import { type Command, helpOf } from './command.ts';

/** Each is imported when it is asked for: most of the time to start is that, and none needs what the others do. */
const commands: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ['start', async () => (await import('./start.ts')).start],
  ['testbed', async () => (await import('./testbed.ts')).testbed],
  ['manager', async () => (await import('./manager.ts')).manager],
  ['worker', async () => (await import('./worker.ts')).worker],
  ['cache', async () => (await import('./cache.ts')).cache],
  ['integration', async () => (await import('./integration.ts')).integration],
  ['portal', async () => (await import('./portal.ts')).portal],
  ['index-cleanup', async () => (await import('./index-cleanup.ts')).indexCleanup],
  ['replay-unsent', async () => (await import('./replay-unsent.ts')).replayUnsent],
]);

const EXIT_FAILURE = 1;
const EXIT_USAGE = 2;

/** Runs the command that the arguments name; resolves with the exit code. */
export async function gatehouse([word, ...argv]: string[]): Promise<number> {
  if (word === undefined) {
    process.stderr.write(await overview());
    return EXIT_USAGE;
  }
  // `help testbed` is `testbed --help`.
  if (word === 'help' && argv[0] !== undefined) return gatehouse([argv[0], '--help']);
  if (isHelp(word) || word === 'help') {
    process.stdout.write(await overview());
    return 0;
  }
  if (word === '--version' || word === 'version') {
    process.stdout.write(`gatehouse ${version}\n`);
    return 0;
  }
  const command = await commands.get(word)?.();
  if (!command) return refuse(`unknown command '${word}'; see gatehouse --help`);
  if (argv.some(isHelp)) {
    process.stdout.write(helpOf(command));
    return 0;
  }
  let values: OptionValues<OptionTable> = {};
  try {
    values = readOptions(command.options, argv, process.env);
    return await command.run(values);
  } catch (error) {
    const mistake = mistakeIn(error, command.options, values);
    if (mistake !== undefined) return refuse(mistake, EXIT_USAGE, command.errorPrefix);
    if (error instanceof StoreUnavailable || error instanceof StoreTooNew)
      return refuse(error.message, EXIT_FAILURE);
    throw error;
  }
}

const isHelp = (word: string) => word === '--help' || word === '-h';

async function overview(): Promise<string> {
  const all = await Promise.all([...commands.values()].map((load) => load()));
  const width = Math.max(...all.map(({ name }) => name.length));
  const rows = all.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
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
function mistakeIn(
  error: unknown,
  options: OptionTable,
  values: OptionValues<OptionTable>,
): string | undefined {
  if (error instanceof UsageError) return error.message;
  const { code = '', message } = error as NodeJS.ErrnoException;
  const reason = ADDRESS_REASONS[code];
  if (reason === undefined) return undefined;
  const address = /(\S+)$/.exec(message)?.[1] ?? '';
  const flag = code === 'EADDRINUSE' ? flagOfPort(address, options, values) : undefined;
  return `${address} ${reason}${flag === undefined ? '' : `; choose another port with --${flag}`}`;
}

const ADDRESS_REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is already in use',
  EACCES: 'may not be opened by this user',
  EADDRNOTAVAIL: 'is no address of this machine',
  ENOTFOUND: 'is no known host',
  EAI_AGAIN: 'is no known host, or the name server does not answer',
};

/** The flag that chose the port of an address. The TLS ports follow the one that has a flag. */
function flagOfPort(
  address: string,
  options: OptionTable,
  values: OptionValues<OptionTable>,
): string | undefined {
  const port = Number(/:(\d+)$/.exec(address)?.[1]);
  const portOptions = Object.entries(options).filter(([, { flag }]) => flag.endsWith('port'));
  const chosen =
    portOptions.find(([name]) => values[name] === port) ??
    portOptions.find(([, { flag }]) => flag === 'tls-base-port');
  return chosen?.[1].flag;
}
