import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Clock } from '../../kernel/clock.ts';
import { UsageError } from '../../kernel/options.ts';
import type { LogIndexClient } from '../../log-index/client.ts';
import { BulkDelivery } from '../../unsent/bulk-delivery.ts';
import { HeldTurn } from '../../unsent/held-turn.ts';
import { planReplay, type ReplayPlan } from '../../unsent/plan-replay.ts';
import { type ReplayResult, replay } from '../../unsent/replay.ts';
import type { ReplayCheckpoint, ReplayOrder } from '../../unsent/replay-checkpoint.ts';
import { ReplayJournal } from '../../unsent/replay-journal.ts';
import { finalReport, runningReport } from '../../unsent/replay-report.ts';
import { inspectTarget } from '../../unsent/replay-target.ts';
import { confirm, refuseUnlessAnswerable } from '../operator/confirm.ts';
import { type ExitCode, exitCodes } from '../operator/exit-codes.ts';
import { countText } from '../operator/figures.ts';
import { type OperatorConsole, tell } from '../operator/operator-console.ts';
import { OperatorFailure } from '../operator/operator-failure.ts';
import { Progress } from '../operator/progress.ts';
import { refuseUnlessWritable } from '../operator/writable-folder.ts';
import type { OpenedCollection } from './open-collection.ts';
import { backupAdvice, compactAdvice, planText, preCheck } from './plan-text.ts';
import type { RunReport } from './run-replay-unsent.ts';
import type { ReplayMode, ReplaySettings } from './settings.ts';

interface ReplayRun {
  readonly settings: ReplaySettings;
  readonly mode: ReplayMode;
  readonly opened: OpenedCollection;
  readonly index: LogIndexClient;
  readonly console: OperatorConsole;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Pre-check, plan, confirmation, and then the replay itself (spec 2 §4.7 steps 2 to 6). */
export async function replayCollection(run: ReplayRun): Promise<RunReport> {
  const { settings, mode, opened, index, console, signal } = run;
  const stream = settings.stream;
  if (stream === undefined)
    throw new UsageError('--stream is required: the data stream that the records go to');
  const confirmation = {
    about: 'The database is backed up and the plan may run? ',
    isGiven: settings.isBackupDone || settings.isConfirmed,
    givenBy: '--backup-done (or --yes)',
    signal,
  };
  if (mode !== 'check') {
    refuseUnlessAnswerable(console, confirmation);
    refuseUnlessWritable(settings.workFolder);
  }
  const plan = await planReplay(opened.records, wishOf(run, stream));
  if (!plan) return nothingToDo(run);
  const journal = new ReplayJournal(settings.workFolder);
  const checkpoint = checkpointOf(
    plan,
    mode === 'check' ? undefined : await leftBehind(run, journal, plan.checkpoint.order),
  );
  const target = await inspectTarget(index, stream);
  const sightings = await preCheck(index, stream, plan);
  const about = { ...plan, checkpoint };
  console.out(
    planText({ plan: about, target, sightings, indexUrl: index.url, journal, isCheck: mode === 'check' }),
  );
  for (const { warning } of sightings) if (warning) tell(console, 'WARNING', warning);
  if (mode === 'check')
    return {
      exitCode: exitCodes.done,
      summary: 'checked; nothing was changed',
      details: checkedDetails(plan),
    };
  console.out(backupAdvice(opened.source.name));
  await confirm(console, confirmation);
  return perform(run, about, journal);
}

function wishOf({ settings, mode, opened }: ReplayRun, stream: string) {
  const { batchSize, totalBatches, skip, testSize } = settings;
  return {
    source: opened.source.name,
    collection: opened.collection,
    stream,
    batchSize,
    totalBatches,
    skip,
    testSize: mode === 'test' ? testSize : undefined,
  };
}

async function nothingToDo({ settings, opened }: ReplayRun): Promise<RunReport> {
  const { collection, records } = opened;
  const count = await records.count();
  const details = { collection, records: count };
  if (count === 0)
    return { exitCode: exitCodes.done, summary: `${collection} holds no records: nothing to do`, details };
  if (settings.skip === 0)
    throw new OperatorFailure(
      `the ids of the ${countText(count)} records of ${collection} are neither texts nor ObjectIds`,
    );
  const summary = `SKIP ${settings.skip} leaves nothing of the ${countText(count)} records of ${collection}: nothing to do`;
  return { exitCode: exitCodes.done, summary, details };
}

/** An earlier run that was cut off is gone on with, unless the operator wants otherwise. */
async function leftBehind(
  { settings, opened }: ReplayRun,
  journal: ReplayJournal,
  order: ReplayOrder,
): Promise<ReplayCheckpoint | undefined> {
  const found = settings.isRestart ? undefined : journal.load();
  if (!found || (await isOver(found, opened))) return undefined;
  const members = ['source', 'collection', 'stream', 'isTest'] as const;
  const other = members.find((member) => found.order[member] !== order[member]);
  if (other === undefined) return found;
  throw new UsageError(
    `${journal.pathOf('checkpoint')} is of an unfinished run with another ${other} (${found.order[other]}): finish that one first, or forget it with --restart`,
  );
}

/**
 * A run that was killed behind its last delete leaves a checkpoint with nothing to go on with. Going on with it would end at once,
 * as if what came into the collection since were replayed.
 */
async function isOver(
  { order, after, counters }: ReplayCheckpoint,
  { source, collection, records }: OpenedCollection,
): Promise<boolean> {
  if (counters.read >= order.limit) return true;
  if (order.source !== source.name || order.collection !== collection) return false;
  const waiting = await records.read({ after, through: order.through, limit: 1, maxBytes: 1 });
  return waiting.length === 0;
}

function checkpointOf(plan: ReplayPlan, found: ReplayCheckpoint | undefined): ReplayCheckpoint {
  // The size of batches may be lowered between two runs (spec 2 §4.7 step 6).
  return found
    ? { ...found, order: { ...found.order, batchSize: plan.checkpoint.order.batchSize } }
    : plan.checkpoint;
}

function checkedDetails({ count, storageBytes, checkpoint, totalBatches }: ReplayPlan) {
  return { collection: checkpoint.order.collection, records: count, storageBytes, totalBatches };
}

async function perform(
  run: ReplayRun,
  { checkpoint }: ReplayPlan,
  journal: ReplayJournal,
): Promise<RunReport> {
  const { settings, opened, index, console, clock } = run;
  const { order } = checkpoint;
  const start = { startedBy: 'replay-unsent', startedAt: new Date(clock.now()).toISOString() };
  const turn = await HeldTurn.take({
    turn: opened.source.turn,
    holder: `replay-unsent ${hostname()} ${process.pid} ${randomUUID()}`,
    clock,
    report: runningReport(start, order, checkpoint.counters),
    isGone: hasEndedHere,
  });
  if (!(turn instanceof HeldTurn))
    throw new OperatorFailure(`another replay is running (${turn.holder.split(' ').slice(0, 3).join(' ')})`);
  const signal = AbortSignal.any([run.signal, turn.signal]);
  const progress = new Progress(console, clock, 'replayed');
  const delivery = new BulkDelivery({
    index,
    stream: order.stream,
    clock,
    signal,
    onRetry: (records, reason) => {
      progress.clear();
      tell(console, 'WARNING', `${countText(records)} records are sent again: ${reason}`);
    },
  });
  const result = await replay({
    records: opened.records,
    delivery,
    journal,
    checkpoint,
    batchBytes: settings.batchBytes,
    maxRecordBytes: settings.maxRecordBytes,
    signal,
    onProgress: (counters) => {
      turn.tell(runningReport(start, order, counters));
      progress.show(counters.read, order.limit);
    },
    onPass: (deletedCount) => {
      progress.clear();
      console.out(`deletedCount ${deletedCount}\n`);
    },
  });
  progress.clear();
  await turn.release(finalReport(runningReport(start, order, result.counters), result));
  return reportOf(run, order, result, journal);
}

/** The lines that count `deletedCount` tell the passes; this one tells all of it. */
async function reportOf(
  { opened, console }: ReplayRun,
  { isTest, collection }: ReplayOrder,
  { end, counters, failure }: ReplayResult,
  journal: ReplayJournal,
): Promise<RunReport> {
  const { delivered, duplicates, rejected, deleted } = counters;
  const remaining = await opened.records.count().catch(() => undefined);
  const figures = `${countText(delivered)} delivered, ${countText(duplicates)} were there already, ${countText(deleted)} deleted, ${countText(rejected)} rejected`;
  const details = { end, ...counters, remaining, files: journal.filesWritten() };
  for (const path of Object.values(details.files)) console.out(`wrote ${path}\n`);
  const isPartly = deleted > 0 || rejected > 0;
  const unfinished: ExitCode = isPartly ? exitCodes.partlyDone : exitCodes.failed;
  const resume = 'nothing is lost: run the same command again to go on';
  if (end === 'failed')
    return { exitCode: unfinished, summary: `stopped: ${failure?.message}; ${figures}; ${resume}`, details };
  if (end === 'cancelled')
    return { exitCode: unfinished, summary: `cancelled; ${figures}; ${resume}`, details };
  if (rejected > 0)
    return {
      exitCode: exitCodes.partlyDone,
      summary: `${figures}; what was rejected stays in ${collection}, reasons in ${journal.pathOf('rejects')}`,
      details,
    };
  const next = isTest ? 'look for these records in the index, then run without --test' : compactAdvice;
  return { exitCode: exitCodes.done, summary: `done: ${figures}\n${next}`, details };
}

/** A process of this machine that is no more cannot give its turn back. */
function hasEndedHere(holder: string): boolean {
  const [command, host, id] = holder.split(' ');
  if (command !== 'replay-unsent' || host !== hostname()) return false;
  try {
    process.kill(Number(id), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
