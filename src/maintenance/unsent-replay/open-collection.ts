import { resolve } from 'node:path';
import { UsageError } from '../../kernel/options.ts';
import { completeMongoUrl } from '../../store/unsent/mongo-address.ts';
import { openUnsentSource } from '../../store/unsent/open-unsent-source.ts';
import type { UnsentCollection, UnsentRecords, UnsentSource } from '../../store/unsent/unsent-records.ts';
import { exitCodes } from '../operator/exit-codes.ts';
import { OperatorFailure } from '../operator/operator-failure.ts';
import type { ReplaySettings } from './settings.ts';

/** The collection that a run is about. */
export interface OpenedCollection extends AsyncDisposable {
  readonly source: UnsentSource;
  readonly collection: UnsentCollection;
  readonly records: UnsentRecords;
}

/** It lasts as long as the collection is large. */
const COMPACT_MS = 24 * 3_600_000;

/** Finds the collection on the primary, or says why there is nothing to do. */
export async function openCollection(
  settings: ReplaySettings,
): Promise<OpenedCollection | ({ readonly nothing: string } & AsyncDisposable)> {
  const { databaseUrl, data, isCompact } = settings;
  if (databaseUrl !== undefined && !/^mongodb(\+srv)?:\/\//.test(databaseUrl))
    throw new UsageError('the database URL must begin with mongodb:// or mongodb+srv://');
  const url = databaseUrl && completeMongoUrl(databaseUrl);
  const source = await openUnsentSource({
    url,
    dataFolder: resolve(data),
    ...(isCompact && { deadlineMs: COMPACT_MS }),
  });
  if (!source)
    throw new UsageError(
      `there is no platform database in ${resolve(data)}; name it with --database-url or --data`,
    );
  const close = () => source[Symbol.asyncDispose]();
  try {
    await refuseSecondary(source);
    const collection = chosen(await source.collections(), settings.collection, source.name);
    if (collection === undefined)
      return {
        nothing: `${source.name} has no unsent collection: nothing to do`,
        [Symbol.asyncDispose]: close,
      };
    return { source, collection, records: source.records(collection), [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function refuseSecondary(source: UnsentSource): Promise<void> {
  const found = await source.primary();
  if (found.isPrimary) return;
  const where = found.primary === undefined ? 'it knows of none at the moment' : `that is ${found.primary}`;
  throw new OperatorFailure(
    `${source.name} is not the primary of its replica set: run on the primary (${where})`,
    exitCodes.configuration,
  );
}

function chosen(
  found: readonly UnsentCollection[],
  wanted: UnsentCollection | undefined,
  sourceName: string,
): UnsentCollection | undefined {
  if (wanted !== undefined) {
    if (found.length > 0 && !found.includes(wanted))
      throw new UsageError(`${sourceName} has no collection ${wanted}, but ${found[0]}`);
    return found.find((name) => name === wanted);
  }
  if (found.length > 1)
    throw new UsageError(`${sourceName} has both ${found.join(' and ')}: choose one with --collection`);
  return found[0];
}
