import type { LogIndexClient } from '../../log-index/client.ts';
import type { WaitingRecord } from '../../store/unsent/unsent-records.ts';
import { unsentCollections } from '../../store/unsent/unsent-records.ts';
import type { ReplayPlan } from '../../unsent/plan-replay.ts';
import { correlationIdOf } from '../../unsent/prepared-record.ts';
import type { ReplayJournal } from '../../unsent/replay-journal.ts';
import { findCorrelationId, type ReplayTarget } from '../../unsent/replay-target.ts';
import { bytesText, countText } from '../operator/figures.ts';

/** Whether a record that waits is in the index already. */
export interface RecordSighting {
  readonly name: 'first' | 'last';
  readonly text: string;
  readonly warning?: string;
}

/** The first and the last record stand for all of them (spec 2 §4.7 step 2). */
export async function preCheck(
  index: LogIndexClient,
  stream: string,
  { first, last }: ReplayPlan,
): Promise<RecordSighting[]> {
  return [await sighting(index, stream, 'first', first), await sighting(index, stream, 'last', last)];
}

async function sighting(
  index: LogIndexClient,
  stream: string,
  name: RecordSighting['name'],
  record: WaitingRecord,
): Promise<RecordSighting> {
  const aci = correlationIdOf(record);
  if (aci === undefined) return { name, text: `${record.id}, without an aci` };
  const { hits, indices } = await findCorrelationId(index, stream, aci);
  const text = `${record.id}, aci ${aci}: ${hits === 0 ? 'not in any traffic log' : `${hits} in ${indices.join(', ')}`}`;
  if (hits === 0) return { name, text };
  return {
    name,
    text,
    warning: `the ${name} record is in the index already: if an earlier replay did not put it there, a replay adds a second copy`,
  };
}

interface PlanTextParts {
  readonly plan: ReplayPlan;
  readonly target: ReplayTarget;
  readonly sightings: readonly RecordSighting[];
  readonly indexUrl: string;
  readonly journal: ReplayJournal;
  readonly isCheck: boolean;
}

/** What is going to happen, before anything does. */
export function planText({ plan, target, sightings, indexUrl, journal, isCheck }: PlanTextParts): string {
  const { order, after, counters } = plan.checkpoint;
  const { backingIndices, engine } = target;
  const rows: [string, string][] = [
    ['database', order.source],
    [
      'collection',
      `${order.collection}: ${countText(plan.count)} records, ${bytesText(plan.storageBytes)} on the disk`,
    ],
    ...sightings.map(({ name, text }): [string, string] => [`${name} record`, text]),
    [
      'target',
      `data stream ${order.stream} at ${indexUrl} (${engine}), ${backingIndices.length} backing, newest ${backingIndices.at(-1)}`,
    ],
  ];
  if (!isCheck) {
    rows.push(['run', runText(plan)]);
    if (counters.read > 0)
      rows.push([
        'resumes',
        `${countText(counters.read)} of ${countText(order.limit)} are done, goes on behind ${after}`,
      ]);
    rows.push([
      'files',
      `${journal.pathOf('backup')} (what is deleted), ${journal.pathOf('rejects')} (what cannot be sent)`,
    ]);
  }
  const width = Math.max(...rows.map(([name]) => name.length));
  const title = isCheck ? 'Unsent records' : 'Replay of unsent records';
  return `${title}\n${rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}\n`).join('')}`;
}

function runText({ totalBatches, count, checkpoint }: ReplayPlan): string {
  const { isTest, limit, batchSize } = checkpoint.order;
  if (isTest) return `TEST of ${countText(limit)} records; ids and aci of each are written down`;
  const skipped = count - limit > 0 ? `; ${countText(count - limit)} records are left out` : '';
  return `${countText(limit)} records in ${countText(totalBatches)} batches of ${countText(batchSize)}${skipped}`;
}

/** spec 2 §4.7 step 1. */
export function backupAdvice(source: string): string {
  const [one, other] = unsentCollections;
  const how = source.startsWith('mongodb')
    ? `mongodump --excludeCollection=${one} --excludeCollection=${other} …`
    : `sqlite3 ${source} ".backup copy.db", without the tables c_${one} and c_${other}`;
  return `Back up the database first, without the unsent collections ${one} and ${other}: ${how}\n`;
}

/** spec 2 §4.7 step 7. */
export const compactAdvice =
  'Now run compact on the collection (--compact), preferably on a secondary node; on a single node the collection is locked meanwhile.';
