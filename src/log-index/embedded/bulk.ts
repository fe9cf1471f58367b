import type { BulkAction } from './bulk-lines.ts';
import { newUuid } from './catalogue-file.ts';
import { EngineError, errorCause } from './engine-error.ts';
import type { IndexRegistry } from './index-registry.ts';
import type { LogIndex } from './log-index.ts';
import { isTurnOver, nextTurn } from './next-turn.ts';
import { refuseWrongTarget, toldWrite, writeDocument } from './write-document.ts';

/** One item of a bulk answer: `{create: {status: 201, …}}`. */
export type BulkItem = Readonly<Record<string, { readonly status: number }>>;

/**
 * Writes the documents in their order, as many in one transaction as one turn holds. Each succeeds or fails alone; only what
 * was committed is reported as written.
 */
export async function runBulk(registry: IndexRegistry, actions: readonly BulkAction[]): Promise<BulkItem[]> {
  const items: BulkItem[] = [];
  const written = new Set<LogIndex>();
  while (items.length < actions.length) {
    const { target } = actions[items.length]!;
    let index: LogIndex;
    try {
      index = registry.writeTarget(target);
    } catch (error) {
      items.push(failedItem(actions[items.length]!, target, error));
      continue;
    }
    written.add(index);
    items.push(...writeSome(index, target, actions, items.length));
    if (items.length < actions.length) await nextTurn();
  }
  await Promise.all([...written].map(({ file }) => file.settle()));
  return items;
}

/** As many of the following actions on the same target as one turn holds. */
function writeSome(
  index: LogIndex,
  target: string,
  actions: readonly BulkAction[],
  from: number,
): BulkItem[] {
  const beganAt = performance.now();
  const items: BulkItem[] = [];
  try {
    index.file.transaction(() => {
      let at = from;
      do {
        items.push(writeItem(index, actions[at++]!));
      } while (at < actions.length && actions[at]!.target === target && !isTurnOver(beganAt));
    });
    if (index.hasNewFields) index.save();
    return items;
  } catch (error) {
    // The disk is full, say: nothing of this turn is there.
    const failed = actions.slice(from, from + Math.max(items.length, 1));
    return failed.map((action) => failedItem(action, index.name, error));
  }
}

function writeItem(index: LogIndex, action: BulkAction): BulkItem {
  const { type, target, bytes } = action;
  const id = action.id ?? newUuid();
  try {
    refuseWrongTarget(index, target, type);
    const result = writeDocument(index, type, id, bytes);
    return { [type]: { ...toldWrite(index, id, result), status: result.isNew ? 201 : 200 } };
  } catch (error) {
    return failedItem({ type, id }, index.name, error);
  }
}

function failedItem({ type, id = null }: FailedAction, index: string, error: unknown): BulkItem {
  const known = asEngineError(error);
  const told = { _index: index, _id: id, status: known.status, error: errorCause(known) };
  return { [type]: told };
}

type FailedAction = Pick<BulkAction, 'type'> & { readonly id?: string | null | undefined };

/** What is no refusal of ours comes from SQLite or the disk under it. */
function asEngineError(error: unknown): EngineError {
  if (error instanceof EngineError) return error;
  if ((error as { code?: string }).code !== 'ERR_SQLITE_ERROR') throw error;
  return new EngineError(503, 'engine_exception', (error as Error).message);
}
