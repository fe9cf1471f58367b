import type { ByQueryAnswer } from '../../log-index/client-answers.ts';
import type { SeenCounters } from './running-task.ts';

/** One run over all documents in scope. */
export interface Pass {
  readonly answer: ByQueryAnswer;
  /** The answer never came: these are the counters as they were last seen. */
  readonly isSeenOnly: boolean;
}

/** The answer of the index, or what several of them say together; this is what the result file holds. */
export interface OperationResult extends ByQueryAnswer {
  /** Each for itself, when there was more than one or one without an answer. */
  readonly passes?: ReadonlyArray<ByQueryAnswer & { readonly isSeenOnly: boolean }>;
}

export function seenPass(seen: SeenCounters | undefined): Pass {
  const answer = {
    took: 0,
    timed_out: false,
    ...(seen ?? { total: 0, updated: 0, deleted: 0, noops: 0, version_conflicts: 0, batches: 0 }),
    retries: { bulk: 0, search: 0 },
    throttled_millis: 0,
    requests_per_second: -1,
    failures: [],
  };
  return { answer, isSeenOnly: true };
}

/** No further pass would bring more: nothing was in conflict, or something keeps the run from its end. */
export function isConclusive({ answer, isSeenOnly }: Pass): boolean {
  if (isSeenOnly) return false;
  return answer.version_conflicts === 0 || !isWhole(answer);
}

/** It went through all documents that its query found. */
export function isWhole({ failures, timed_out: isTimedOut, canceled }: ByQueryAnswer): boolean {
  return failures.length === 0 && !isTimedOut && canceled === undefined;
}

export const changedBy = ({ updated = 0, deleted = 0 }: ByQueryAnswer): number => updated + deleted;

/** What was changed adds up. What is left undone, the last pass says. */
export function resultOf(passes: readonly Pass[]): OperationResult | undefined {
  const [first] = passes;
  const last = passes.at(-1);
  if (!first || !last) return undefined;
  if (passes.length === 1 && !first.isSeenOnly) return first.answer;
  const sum = (of: (answer: ByQueryAnswer) => number) =>
    passes.reduce((all, { answer }) => all + of(answer), 0);
  return {
    ...last.answer,
    took: sum(({ took }) => took),
    total: Math.max(...passes.map(({ answer }) => answer.total)),
    ...(passes.some(({ answer }) => answer.updated !== undefined) && {
      updated: sum(({ updated = 0 }) => updated),
    }),
    ...(passes.some(({ answer }) => answer.deleted !== undefined) && {
      deleted: sum(({ deleted = 0 }) => deleted),
    }),
    noops: noopsOf(passes),
    batches: sum(({ batches }) => batches),
    throttled_millis: sum(({ throttled_millis: ms }) => ms),
    retries: { bulk: sum(({ retries }) => retries.bulk), search: sum(({ retries }) => retries.search) },
    passes: passes.map(({ answer, isSeenOnly }) => ({ ...answer, isSeenOnly })),
  };
}

/**
 * How many needed nothing, the first pass says that answered: one that was only seen may have been anywhere. What passes before it
 * are known to have updated is a noop to it, and is none.
 */
function noopsOf(passes: readonly Pass[]): number {
  const at = passes.findIndex(({ isSeenOnly }) => !isSeenOnly);
  if (at < 0) return passes.at(-1)!.answer.noops;
  const updatedBefore = passes.slice(0, at).reduce((all, { answer }) => all + (answer.updated ?? 0), 0);
  return Math.max(0, passes[at]!.answer.noops - updatedBefore);
}
