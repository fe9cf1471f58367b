import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exitCodes } from '../operator/exit-codes.ts';
import { unlessInterrupted } from '../operator/interruption.ts';
import { tell } from '../operator/operator-console.ts';
import type { Cleanup } from './cleanup.ts';
import { failureText } from './failure-text.ts';
import { changedBy, isWhole, type OperationResult, resultOf } from './operation-result.ts';
import type { Findings } from './plan-text.ts';
import { OperationRun } from './run-operation.ts';
import { sizeOf } from './summary.ts';

/** Lifts the write block, runs the operation, merges, and restores the block whatever happened in between. */
export async function act(run: Cleanup, { checked, going }: Findings): Promise<void> {
  const { block, summary } = run;
  const isOurBlock = checked.hasWriteBlock;
  const operation = new OperationRun(run);
  try {
    if (isOurBlock && !block.isLeftLifted) await block.lift();
    await operate(run, operation, going);
    const isComplete = summary.errors.length === 0;
    if (isComplete && run.configuration.forcesMerge) await merge(run);
  } catch (error) {
    addError(run, failureText(error, run.configuration.index));
  } finally {
    if (isOurBlock) await restore(run);
  }
  await lookAgain(run);
  const { errors, result } = summary;
  const isTouched =
    operation.hasUnknownEnd || (result !== undefined && (changedBy(result) > 0 || isFinished(result)));
  if (errors.length === 0) Object.assign(summary, { status: 'done', exitCode: exitCodes.done });
  else if (isTouched) Object.assign(summary, { status: 'partly-done', exitCode: exitCodes.partlyDone });
  else Object.assign(summary, { status: 'failed', exitCode: exitCodes.failed });
}

const isFinished = (result: OperationResult) => isWhole(result) && result.version_conflicts === 0;

async function operate(run: Cleanup, operation: OperationRun, going: Findings['going']): Promise<void> {
  const { signal, summary, plan } = run;
  try {
    await operation.run(going);
  } catch (error) {
    addError(run, failureText(error, run.configuration.index));
  }
  const result = resultOf(operation.passes);
  if (result) {
    summary.result = result;
    writeResult(run, plan.resultFile, result);
    const problem = problemIn(result);
    if (problem !== undefined) addError(run, problem);
  }
  if (summary.errors.length > 0) return;
  if (signal.aborted) addError(run, (signal.reason as Error).message);
  else if (operation.hasUnknownEnd)
    addError(run, 'how the run ended is not known; start the same command again');
}

/** What keeps the result from being the expected one (spec 2 §4.6 rule 13). */
function problemIn({
  failures,
  timed_out: isTimedOut,
  canceled,
  ...result
}: OperationResult): string | undefined {
  const [failure] = failures;
  if (failure) {
    const reason = failure.cause?.reason ?? failure.cause?.type ?? `status ${failure.status}`;
    return `${failures.length} documents failed and the run ended before its end; the first: ${failure.id}: ${reason}`;
  }
  if (canceled !== undefined) return `the run was cancelled (${canceled}); what was changed stays changed`;
  if (isTimedOut) return 'the run timed out before its end; start the same command again';
  if (result.version_conflicts === 0) return undefined;
  return `${result.version_conflicts} documents were changed by others meanwhile and are left as they are; start the same command again`;
}

/** Rule 10. It cannot be stopped once it runs, but it need not be waited for. */
async function merge(run: Cleanup): Promise<void> {
  const { client, configuration, signal, summary } = run;
  try {
    const answer = await unlessInterrupted(client.forceMerge(configuration.index, { signal }), signal);
    summary.forceMerge = answer;
    writeResult(run, 'forcemerge_result.json', answer);
    if (answer._shards.failed > 0)
      addError(run, `the force merge failed on ${answer._shards.failed} of ${answer._shards.total} shards`);
  } catch (error) {
    addError(
      run,
      `the documents are done, but the force merge is not known to be: ${failureText(error, configuration.index)}`,
    );
  }
}

async function restore(run: Cleanup): Promise<void> {
  try {
    await run.block.restore();
  } catch (error) {
    addError(
      run,
      `the write block is not restored: ${failureText(error, run.configuration.index)}; the next run for this index in this directory restores it`,
    );
  }
}

/** Sizes are for the eye: without them the report is as true. */
async function lookAgain({ client, configuration: { index }, signal, summary }: Cleanup): Promise<void> {
  if (signal.aborted || summary.result === undefined) return;
  const stats = await client.stats(index).catch(() => undefined);
  const after = sizeOf(stats?.get(index));
  if (after) summary.after = after;
}

function writeResult({ folder, summary }: Cleanup, name: string, result: object): void {
  writeFileSync(join(folder, name), `${JSON.stringify(result, null, 2)}\n`);
  summary.files.push(name);
}

function addError({ console, summary }: Cleanup, text: string): void {
  tell(console, 'ERROR', text);
  summary.errors.push(text);
}
