import type { CleanupScript } from '../../log-index/cleanup-script.ts';
import type { IndexQuery, IndexStats, Shards } from '../../log-index/client-answers.ts';
import { type ExitCode, exitCodes } from '../operator/exit-codes.ts';
import { bytesText, countText } from '../operator/figures.ts';
import type { OperationResult } from './operation-result.ts';

/** What a run has to tell at its end, also as JSON; it grows while the run goes on. */
export interface Summary {
  status: 'done' | 'nothing-to-do' | 'dry-run' | 'failed' | 'configuration' | 'partly-done';
  exitCode: ExitCode;
  index?: string;
  engine?: string;
  operation?: 'clean' | 'delete';
  query?: IndexQuery;
  script?: CleanupScript;
  /** Documents in scope before the run. */
  count?: number;
  result?: OperationResult;
  forceMerge?: { readonly _shards: Shards };
  before?: IndexSize;
  after?: IndexSize;
  /** Files that were written. */
  readonly files: string[];
  readonly warnings: string[];
  readonly errors: string[];
}

export interface IndexSize {
  readonly bytes: number;
  readonly documents: number;
  readonly deletedDocuments: number;
}

export function emptySummary(): Summary {
  return { status: 'failed', exitCode: exitCodes.failed, files: [], warnings: [], errors: [] };
}

export function sizeOf(stats: IndexStats | undefined): IndexSize | undefined {
  if (!stats) return undefined;
  const { store, docs } = stats;
  return { bytes: store.size_in_bytes, documents: docs.count, deletedDocuments: docs.deleted };
}

export function sizeText({ bytes, documents, deletedDocuments }: IndexSize): string {
  return `${bytesText(bytes)}, ${countText(documents)} documents, ${countText(deletedDocuments)} deleted ones not yet expunged`;
}

const headlines: Readonly<Record<Summary['status'], string>> = {
  done: 'Done.',
  'nothing-to-do': 'Nothing to do: no document is in scope.',
  'dry-run': 'Dry run: nothing was changed.',
  failed: 'Not done.',
  configuration: 'Not done.',
  'partly-done': 'Partly done.',
};

/** The counters of spec 2 §4.6 rule 13, and what became of the space. */
export function summaryText(summary: Summary): string {
  const { status, result, forceMerge, before, after, files } = summary;
  const lines = [headlines[status]];
  if (result) {
    const { total, updated = 0, deleted = 0, noops, version_conflicts: conflicts, failures, passes } = result;
    lines.push(
      `  total ${total}, updated ${updated}, deleted ${deleted}, noops ${noops}, version_conflicts ${conflicts}, failures ${failures.length}`,
    );
    if (passes) lines.push(`  in ${passes.length} passes`);
    if (passes?.some(({ isSeenOnly }) => isSeenOnly))
      lines.push('  the answer of a pass was lost: it may have changed more than is counted here');
  }
  if (forceMerge)
    lines.push(
      `  force merge: _shards.failed ${forceMerge._shards.failed}; disk space may not be freed immediately`,
    );
  if (before && after) lines.push(`  size before: ${sizeText(before)}`, `  size after:  ${sizeText(after)}`);
  if (files.length > 0) lines.push(`  written: ${files.join(', ')}`);
  return `${lines.join('\n')}\n`;
}
