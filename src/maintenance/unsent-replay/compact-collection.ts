import { confirm } from '../operator/confirm.ts';
import { exitCodes } from '../operator/exit-codes.ts';
import { bytesText, countText } from '../operator/figures.ts';
import { type OperatorConsole, tell } from '../operator/operator-console.ts';
import { OperatorFailure } from '../operator/operator-failure.ts';
import type { OpenedCollection } from './open-collection.ts';
import type { RunReport } from './run-replay-unsent.ts';
import type { ReplaySettings } from './settings.ts';

/** Gives the space of replayed records back (spec 2 §4.7 step 7). */
export async function compactCollection(
  { isForced, isConfirmed }: ReplaySettings,
  { source, collection, records }: OpenedCollection,
  console: OperatorConsole,
  signal: AbortSignal,
): Promise<RunReport> {
  const count = await records.count();
  if (count > 0 && !isForced)
    throw new OperatorFailure(
      `${collection} still holds ${countText(count)} records: replay them first, or add --force`,
      exitCodes.configuration,
    );
  const before = await records.storageBytes();
  console.out(
    `Compact ${collection} of ${source.name}: ${countText(count)} records, ${bytesText(before)} on the disk\n`,
  );
  tell(
    console,
    'WARNING',
    'it is better run on a secondary node, one node after the other: it is not replicated',
  );
  tell(
    console,
    'WARNING',
    'on a single node the collection is locked while it runs (MongoDB before 4.4 and the embedded database: everything waits)',
  );
  await confirm(console, { isGiven: isConfirmed, givenBy: '--yes', signal });
  await records.compact();
  const after = await records.storageBytes();
  return {
    exitCode: exitCodes.done,
    summary: `compacted: ${bytesText(before)} before, ${bytesText(after)} after`,
    details: { collection, records: count, storageBytesBefore: before, storageBytesAfter: after },
  };
}
