import type { UnsentRecords, WaitingRecord } from '../store/unsent/unsent-records.ts';
import type { BatchOutcome, BulkDelivery } from './bulk-delivery.ts';
import { type PreparedRecord, prepare, type RefusedRecord } from './prepared-record.ts';
import type { ReplayCheckpoint, ReplayCounters } from './replay-checkpoint.ts';
import type { ReplayJournal } from './replay-journal.ts';

export interface ReplayOptions {
  readonly records: UnsentRecords;
  readonly delivery: Pick<BulkDelivery, 'begin' | 'deliver'>;
  readonly journal: Pick<ReplayJournal, 'append' | 'save' | 'forget'>;
  /** A new one, or one that an earlier run left. */
  readonly checkpoint: ReplayCheckpoint;
  /** Bounds what is read, sent and held at once, beside the number of records. */
  readonly batchBytes: number;
  readonly maxRecordBytes: number;
  /** Ends the replay after the batch that is under way. */
  readonly signal: AbortSignal;
  readonly onProgress?: (counters: ReplayCounters) => void;
  /** Of each pass of `batchSize` records, or of what was left for the last one. */
  readonly onPass?: (deletedCount: number) => void;
}

export interface ReplayResult {
  readonly end: 'finished' | 'cancelled' | 'failed';
  readonly counters: ReplayCounters;
  /** Why it failed. */
  readonly failure?: Error;
}

interface Batch {
  readonly records: readonly WaitingRecord[];
  readonly prepared: readonly PreparedRecord[];
  readonly refused: readonly RefusedRecord[];
}

/**
 * Sends unsent records to the stream and deletes what arrived. The order of the steps is what keeps them safe: a record is deleted
 * only when the index has acknowledged it and the backup file is on the disk; whoever is cut off between two steps asks the
 * stream for the ids first, and creates nothing twice.
 */
export async function replay(options: ReplayOptions): Promise<ReplayResult> {
  const { delivery, journal, checkpoint, signal, onProgress, onPass } = options;
  const { batchSize, limit } = checkpoint.order;
  let { counters, after } = checkpoint;
  let deletedInPass = 0;
  const end = (failure?: Error): ReplayResult =>
    signal.aborted ? { end: 'cancelled', counters } : { end: 'failed', counters, failure };
  let ahead = read(options, after, counters.read);
  try {
    await journal.save(checkpoint);
    await delivery.begin();
    for (;;) {
      const batch = await ahead;
      const last = batch.records.at(-1);
      if (!last) break;
      if (signal.aborted) return end();
      const readAfter = counters.read + batch.records.length;
      // While the index works on this batch the database finds the next one.
      ahead = read(options, last.key, readAfter);
      ahead.catch(() => {});
      const { outcomes, failure } = await delivery.deliver(batch.prepared);
      const settled = await settle(options, batch, outcomes);
      deletedInPass += settled.deleted;
      if (failure) {
        // What is left of the batch is read again by the next run: the checkpoint stays before it.
        const done = { ...settled, rejected: 0, read: settled.deleted };
        await journal.save({ ...checkpoint, after, counters: sumOf(counters, done) });
        counters = sumOf(counters, { ...settled, read: settled.deleted });
        onProgress?.(counters);
        return end(failure);
      }
      after = last.key;
      counters = sumOf(counters, { ...settled, read: batch.records.length });
      await journal.save({ ...checkpoint, after, counters });
      onProgress?.(counters);
      if (readAfter % batchSize === 0 || readAfter >= limit) {
        onPass?.(deletedInPass);
        deletedInPass = 0;
      }
    }
    if (deletedInPass > 0) onPass?.(deletedInPass);
    journal.forget();
    return { end: 'finished', counters };
  } catch (error) {
    return end(error as Error);
  } finally {
    await ahead.catch(() => {});
  }
}

/** The next batch: no more than what is left of its pass, of the order, and of the bytes. */
async function read(options: ReplayOptions, after: string | undefined, readBefore: number): Promise<Batch> {
  const { records, batchBytes, maxRecordBytes } = options;
  const { batchSize, limit, through } = options.checkpoint.order;
  const ofPass = batchSize - (readBefore % batchSize);
  const atMost = Math.min(ofPass, limit - readBefore);
  if (atMost <= 0) return { records: [], prepared: [], refused: [] };
  const found = await records.read({ after, through, limit: atMost, maxBytes: batchBytes });
  const prepared: PreparedRecord[] = [];
  const refused: RefusedRecord[] = [];
  for (const record of found) {
    const one = prepare(record, maxRecordBytes);
    if ('head' in one) prepared.push(one);
    else refused.push(one);
  }
  return { records: found, prepared, refused };
}

/** Writes down what became of the batch, and deletes what the stream has. */
async function settle(
  { records, journal, checkpoint }: ReplayOptions,
  { prepared, refused }: Batch,
  outcomes: BatchOutcome['outcomes'],
): Promise<Omit<ReplayCounters, 'read'>> {
  const arrived = prepared.filter(({ record }) => {
    const kind = outcomes.get(record.id)?.kind;
    return kind === 'delivered' || kind === 'duplicate';
  });
  const rejected = [...refused, ...prepared.flatMap((one) => refusedOf(one, outcomes))];
  if (rejected.length > 0) await journal.append('rejects', rejected.map(rejectLine));
  if (arrived.length > 0) await journal.append('backup', exportedLines(arrived));
  const deleted = await records.delete(arrived.map(({ record }) => record.key));
  if (checkpoint.order.isTest && arrived.length > 0) {
    const line = ({ record, aci }: PreparedRecord) =>
      JSON.stringify({ _id: record.id, aci, outcome: outcomes.get(record.id)!.kind });
    await journal.append('processed', arrived.map(line));
  }
  const duplicates = arrived.filter(({ record }) => outcomes.get(record.id)!.kind === 'duplicate').length;
  return {
    delivered: arrived.length - duplicates,
    duplicates,
    rejected: rejected.length,
    deleted,
  };
}

function* exportedLines(records: readonly PreparedRecord[]): Generator<string> {
  for (const { record } of records) yield record.exported();
}

function refusedOf({ record, aci }: PreparedRecord, outcomes: BatchOutcome['outcomes']): RefusedRecord[] {
  const outcome = outcomes.get(record.id);
  return outcome?.kind === 'refused' ? [{ record, aci, reason: outcome.reason }] : [];
}

function rejectLine({ record, aci, reason }: RefusedRecord): string {
  return JSON.stringify({ _id: record.id, aci, bytes: record.bytes, reason });
}

function sumOf(counters: ReplayCounters, added: ReplayCounters): ReplayCounters {
  return {
    read: counters.read + added.read,
    delivered: counters.delivered + added.delivered,
    duplicates: counters.duplicates + added.duplicates,
    rejected: counters.rejected + added.rejected,
    deleted: counters.deleted + added.deleted,
  };
}
