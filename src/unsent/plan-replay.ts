import type { UnsentRecords, WaitingRecord } from '../store/unsent/unsent-records.ts';
import { noCounters, type ReplayCheckpoint } from './replay-checkpoint.ts';

export interface ReplayWish {
  readonly source: string;
  readonly collection: string;
  readonly stream: string;
  readonly batchSize: number;
  /** As many as the records need, unless given. */
  readonly totalBatches: number | undefined;
  /** How many records are left alone, counted from the first. */
  readonly skip: number;
  /** For a test run: after so many it ends. */
  readonly testSize: number | undefined;
}

export interface ReplayPlan {
  readonly count: number;
  readonly storageBytes: number;
  readonly first: WaitingRecord;
  readonly last: WaitingRecord;
  readonly totalBatches: number;
  readonly checkpoint: ReplayCheckpoint;
}

/** Looks at the collection and fixes the set of records that the run is about. Undefined when there is none. */
export async function planReplay(records: UnsentRecords, wish: ReplayWish): Promise<ReplayPlan | undefined> {
  const { source, collection, stream, batchSize, skip, testSize } = wish;
  const [count, storageBytes] = [await records.count(), await records.storageBytes()];
  const [first, last] = [await records.first(), await records.last()];
  // Where the skipped ones end is looked up once: after deletes an offset would mean other records.
  const after = skip > 0 ? await records.keyAt(skip - 1) : undefined;
  if (!first || !last || skip >= count || (skip > 0 && after === undefined)) return undefined;
  // The rest that does not fill a batch is one too.
  const totalBatches = wish.totalBatches ?? Math.ceil((count - skip) / batchSize);
  const limit = testSize ?? Math.min(totalBatches * batchSize, count - skip);
  const order = {
    source,
    collection,
    stream,
    isTest: testSize !== undefined,
    batchSize,
    limit: Math.min(limit, count - skip),
    through: last.key,
  };
  const checkpoint: ReplayCheckpoint = { format: 1, order, after, counters: noCounters };
  return { count, storageBytes, first, last, totalBatches, checkpoint };
}
