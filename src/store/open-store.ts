import { join } from 'node:path';
import { type Clock, systemClock } from '../kernel/clock.ts';
import type { Store } from './contract.ts';
import { type Migration, platformMigrations } from './migrations.ts';
import { SqliteStore } from './sqlite/sqlite-store.ts';

export interface StoreOptions {
  /** `mongodb://…` or `mongodb+srv://…`; without it the database is a file in the data folder. */
  readonly url?: string;
  readonly dataFolder: string;
  readonly clock?: Clock;
  /** After which a call that the engine does not answer rejects with StoreUnavailable. */
  readonly deadlineMs?: number;
  readonly migrations?: readonly Migration[];
}

const DEFAULT_DEADLINE_MS = 5000;

/** Opens the platform database and brings it to the current schema version. */
export async function openStore({
  url,
  dataFolder,
  clock = systemClock,
  deadlineMs = DEFAULT_DEADLINE_MS,
  migrations = platformMigrations,
}: StoreOptions): Promise<Store> {
  if (url === undefined)
    return new SqliteStore({ path: join(dataFolder, 'platform.db'), clock, deadlineMs, migrations });
  if (!/^mongodb(\+srv)?:\/\//.test(url))
    throw new Error('the database URL must begin with mongodb:// or mongodb+srv://');
  // The driver is loaded only where it is used: the embedded database starts without it.
  const { MongoStore } = await import('./mongo/mongo-store.ts');
  return MongoStore.open({ url, deadlineMs, migrations });
}
