import { type Clock, systemClock } from '../../kernel/clock.ts';
import { UsageError } from '../../kernel/options.ts';
import { LogIndexClient } from '../../log-index/client.ts';
import { LogIndexFailure } from '../../log-index/log-index-failure.ts';
import { askPassword } from '../operator/ask-password.ts';
import { callEcho } from '../operator/call-echo.ts';
import { confirm, refuseUnlessAnswerable } from '../operator/confirm.ts';
import { type ExitCode, exitCodes } from '../operator/exit-codes.ts';
import { unlessInterrupted } from '../operator/interruption.ts';
import { type OperatorConsole, tell } from '../operator/operator-console.ts';
import { OperatorFailure } from '../operator/operator-failure.ts';
import { refuseUnlessWritable } from '../operator/writable-folder.ts';
import { act } from './act.ts';
import { BlockJournal } from './block-journal.ts';
import type { Cleanup } from './cleanup.ts';
import { type Configuration, readConfiguration } from './configuration.ts';
import { failureText } from './failure-text.ts';
import { ifAllowed } from './if-allowed.ts';
import { checkIndex } from './index-check.ts';
import { type Plan, planOf } from './plan.ts';
import { type Findings, planText, queryText } from './plan-text.ts';
import { type Pace, usualPace } from './run-operation.ts';
import { type RunningTask, runsOn } from './running-task.ts';
import type { IndexCleanupSettings } from './settings.ts';
import { latestSnapshotText } from './snapshot-advice.ts';
import { emptySummary, type Summary, sizeOf, summaryText } from './summary.ts';
import { WriteBlock } from './write-block.ts';

export interface Surroundings {
  readonly console: OperatorConsole;
  readonly environment: NodeJS.ProcessEnv;
  /** Where the result files go. */
  readonly folder: string;
  /** Aborts when the operator interrupts. */
  readonly signal: AbortSignal;
  readonly clock?: Clock;
  readonly pace?: Pace;
}

/** Calls that only look are small. */
const CALL_DEADLINE_MS = 20_000;
const COUNT_DEADLINE_MS = 600_000;

const statusOf: Readonly<Record<ExitCode, Summary['status']>> = {
  [exitCodes.done]: 'done',
  [exitCodes.failed]: 'failed',
  [exitCodes.configuration]: 'configuration',
  [exitCodes.partlyDone]: 'partly-done',
};

/** The whole of spec 2 §4.6: settings → look → plan → confirmation → the run → report. Resolves with the exit code. */
export async function runIndexCleanup(
  settings: IndexCleanupSettings,
  surroundings: Surroundings,
): Promise<ExitCode> {
  const { console } = surroundings;
  const summary = emptySummary();
  try {
    await cleanUp(settings, surroundings, summary);
  } catch (error) {
    fail(summary, console, error, settings.index);
  }
  if (settings.json) console.out(`${JSON.stringify(summary)}\n`);
  else if (summary.result || summary.exitCode === exitCodes.done) console.out(summaryText(summary));
  return summary.exitCode;
}

function fail(summary: Summary, console: OperatorConsole, error: unknown, index: string): void {
  const exitCode = exitCodeOf(error);
  const text = failureText(error, index);
  tell(console, 'ERROR', text);
  summary.errors.push(text);
  Object.assign(summary, { exitCode, status: statusOf[exitCode] });
}

/** What nobody foresaw is thrown on. */
function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof UsageError) return exitCodes.configuration;
  if (error instanceof OperatorFailure) return error.exitCode;
  if (error instanceof LogIndexFailure) return exitCodes.failed;
  throw error;
}

async function cleanUp(
  settings: IndexCleanupSettings,
  surroundings: Surroundings,
  summary: Summary,
): Promise<void> {
  const { console, environment, folder, signal, clock = systemClock, pace = usualPace } = surroundings;
  const configuration = readConfiguration(settings, environment);
  const { index, url, isDryRun, isInsecure, user, caFile } = configuration;
  const plan = planOf(configuration);
  Object.assign(summary, {
    index,
    operation: configuration.operation.kind,
    query: plan.query,
    script: plan.script,
  });
  if (!isDryRun) {
    refuseUnlessAnswerable(console, confirmationOf(configuration));
    refuseUnlessWritable(folder);
  }
  const givenBy = 'ES_PASS or --pass-file';
  const password = configuration.password ?? (await askPassword(console, { user, givenBy, signal }));
  await using client = new LogIndexClient({
    url,
    user,
    password,
    isInsecure,
    ...(caFile !== undefined && { caFile }),
    onCall: callEcho(console),
    deadlineMs: CALL_DEADLINE_MS,
    clock,
  });
  const block = new WriteBlock(client, index, new BlockJournal(folder, url, index), clock);
  const say = settings.json ? console.err : console.out;
  const run = { configuration, plan, client, block, console, clock, pace, folder, signal, summary, say };
  if (isInsecure)
    warn(run, 'the certificate of the index engine is not verified (insecure); --ca-file verifies it');
  const findings = await unlessInterrupted(look(run), signal);
  say(planText(configuration, plan, findings));
  for (const warning of findings.checked.warnings) warn(run, warning);
  if (isDryRun) {
    if (findings.checked.obstacle !== undefined)
      warn(run, `a run would stop here: ${findings.checked.obstacle}`);
    say(queryText(plan));
    return conclude(summary, 'dry-run');
  }
  if (findings.checked.obstacle !== undefined) throw new OperatorFailure(findings.checked.obstacle);
  if (findings.count === 0 && !findings.going) return conclude(summary, 'nothing-to-do');
  await confirm(console, { ...confirmationOf(configuration), signal });
  await act(run, findings);
}

/** Everything that is to be known beforehand. Nothing is changed but a write block that an earlier run left lifted. */
async function look(run: Cleanup): Promise<Findings> {
  const { client, configuration, plan, summary } = run;
  const { index, isDryRun } = configuration;
  let checked = await checkIndex(client, configuration);
  const runs = await ifAllowed(runsOn(client, index));
  if (!runs)
    warn(run, 'the user may not see the tasks of the index engine: there is no progress, and no cancelling');
  const going = ownRun(runs ?? [], plan);
  if (run.block.isLeftLifted) {
    await putBlockBack(run, going !== undefined);
    checked = { ...checked, hasWriteBlock: true };
  }
  const size = sizeOf((await ifAllowed(client.stats(index)))?.get(index));
  const snapshot = await latestSnapshotText(client, index);
  if (!isDryRun && checked.obstacle === undefined) await ifAllowed(client.refresh(index));
  const count = await countScope(run);
  summary.engine = checked.engine;
  summary.count = count;
  if (size) summary.before = size;
  return { checked, count, size, snapshot, going };
}

/** A run of the very same work may be followed. Any other would be in conflict with ours. */
function ownRun(tasks: readonly RunningTask[], { mark }: Plan): RunningTask | undefined {
  const own = tasks.find(({ opaqueId }) => opaqueId.startsWith(`${mark}-`));
  const [other] = tasks.filter((task) => task !== own);
  if (other)
    throw new OperatorFailure(
      `another run is changing this index (${other.action}, task ${other.id}): wait for its end, or cancel it`,
    );
  return own;
}

/** While the run that lifted it is still going on, it stays lifted, and is put back at the end of this one. */
async function putBlockBack(run: Cleanup, isStillNeeded: boolean): Promise<void> {
  if (run.configuration.isDryRun)
    warn(run, 'an earlier run left the write block lifted; a run would put it back');
  else if (isStillNeeded)
    warn(run, 'an earlier run lifted the write block; it is restored when that run is over');
  else {
    warn(run, 'an earlier run left the write block lifted; it is put back now');
    await run.block.restore();
  }
}

/** Rule 6: a count that is missing, or of some shards only, is no count. */
async function countScope({ client, configuration, plan, signal }: Cleanup): Promise<number> {
  const answer = await client.count(configuration.index, plan.query, {
    deadlineMs: COUNT_DEADLINE_MS,
    signal,
  });
  const { count, _shards: shards } = answer;
  if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 0)
    throw new OperatorFailure(
      'the index engine did not tell how many documents are affected; nothing was changed',
    );
  if ((shards?.failed ?? 0) > 0)
    throw new OperatorFailure(
      `the documents could not be counted: ${shards.failed} of ${shards.total} shards failed; nothing was changed`,
    );
  return count;
}

function conclude(summary: Summary, status: 'dry-run' | 'nothing-to-do'): void {
  summary.status = status;
  summary.exitCode = exitCodes.done;
}

function warn({ console, summary }: Cleanup, text: string): void {
  tell(console, 'WARNING', text);
  summary.warnings.push(text);
}

function confirmationOf({ isConfirmed }: Configuration) {
  return { isGiven: isConfirmed, givenBy: 'SKIP_CONFIRM=true (--skip-confirm)' };
}
