import { type Clock, systemClock } from '../../kernel/clock.ts';
import { UsageError } from '../../kernel/options.ts';
import { LogIndexClient } from '../../log-index/client.ts';
import { LogIndexFailure } from '../../log-index/log-index-failure.ts';
import { StoreUnavailable } from '../../store/contract.ts';
import { ReplayRefused } from '../../unsent/replay-target.ts';
import { askPassword } from '../operator/ask-password.ts';
import { type ExitCode, exitCodes } from '../operator/exit-codes.ts';
import { watchInterruption } from '../operator/interruption.ts';
import { type OperatorConsole, tell } from '../operator/operator-console.ts';
import { OperatorFailure } from '../operator/operator-failure.ts';
import { compactCollection } from './compact-collection.ts';
import { openCollection } from './open-collection.ts';
import { replayCollection } from './replay-collection.ts';
import { indexOptionsOf, modeOf, type ReplaySettings } from './settings.ts';

/** How a run ended, as people and as machines read it. */
export interface RunReport {
  readonly exitCode: ExitCode;
  /** One line. */
  readonly summary: string;
  readonly details: object;
}

/** Procedure B (spec 2 §4.7); resolves with the exit code. */
export async function runReplayUnsent(
  settings: ReplaySettings,
  console: OperatorConsole,
  clock: Clock = systemClock,
): Promise<ExitCode> {
  // Where a machine reads the one object on standard output, people read everything else on standard error.
  const out = settings.isJson ? console.err : console.out;
  const end = ({ exitCode, summary, details }: RunReport): ExitCode => {
    if (settings.isJson) console.out(`${JSON.stringify({ exitCode, summary, ...details })}\n`);
    else if (exitCode === exitCodes.done) out(`${summary}\n`);
    if (exitCode !== exitCodes.done) tell(console, 'ERROR', summary);
    return exitCode;
  };
  try {
    return end(await run(settings, { ...console, out }, clock));
  } catch (error) {
    const known = asFailure(error);
    if (!known) throw error;
    return end({ exitCode: known.exitCode, summary: known.message, details: {} });
  }
}

async function run(settings: ReplaySettings, console: OperatorConsole, clock: Clock): Promise<RunReport> {
  const mode = modeOf(settings);
  const indexOptions = indexOptionsOf(settings);
  using interruption = watchInterruption(() =>
    console.err('\nending after the batch that is under way; press Ctrl-C again to end at once\n'),
  );
  const { signal } = interruption;
  await using opened = await openCollection(settings);
  if ('nothing' in opened) return { exitCode: exitCodes.done, summary: opened.nothing, details: {} };
  if (mode === 'compact') return await compactCollection(settings, opened, console, signal);
  const { user, password } = indexOptions;
  const question = { givenBy: 'ES_PASS', signal };
  const asked = user && !password ? { password: await askPassword(console, { user, ...question }) } : {};
  await using index = new LogIndexClient({ ...indexOptions, ...asked, clock });
  if (settings.isInsecure)
    tell(console, 'WARNING', 'the certificate of the index is not checked; --ca-file is the better choice');
  return await replayCollection({ settings, mode, opened, index, console, clock, signal });
}

/** What is told in one line; anything else is a mistake of ours. */
function asFailure(error: unknown): OperatorFailure | undefined {
  if (error instanceof OperatorFailure) return error;
  if (error instanceof UsageError) return new OperatorFailure(error.message, exitCodes.configuration, error);
  if (error instanceof ReplayRefused) {
    const exitCode = error.isOrderWrong ? exitCodes.configuration : exitCodes.failed;
    return new OperatorFailure(error.message, exitCode, error);
  }
  if (error instanceof LogIndexFailure)
    return new OperatorFailure(`the index: ${error.message}`, exitCodes.failed, error);
  if (error instanceof StoreUnavailable) return new OperatorFailure(error.message, exitCodes.failed, error);
  // Errors of the driver say what is wrong without the address; those of the file system name the file.
  const isForeign = error instanceof Error && (error.name.startsWith('Mongo') || 'syscall' in error);
  return isForeign ? new OperatorFailure(error.message, exitCodes.failed, error) : undefined;
}
