import { type Clock, systemClock } from '../../kernel/clock.ts';
import { SqliteUnsentSource } from './sqlite-unsent-source.ts';
import type { UnsentSource } from './unsent-records.ts';

export interface UnsentSourceOptions {
  /** `mongodb://…`; without it the database is a file in the data folder. */
  readonly url?: string | undefined;
  readonly dataFolder: string;
  readonly clock?: Clock;
  readonly deadlineMs?: number;
}

/** A count over millions of records takes its time. */
const DEFAULT_DEADLINE_MS = 60_000;

/** Undefined when the folder holds no database. */
export async function openUnsentSource({
  url,
  dataFolder,
  clock = systemClock,
  deadlineMs = DEFAULT_DEADLINE_MS,
}: UnsentSourceOptions): Promise<UnsentSource | undefined> {
  if (url === undefined) return SqliteUnsentSource.open(dataFolder, clock, deadlineMs);
  // The driver is loaded only where it is used.
  const { MongoUnsentSource } = await import('./mongo-unsent-source.ts');
  return MongoUnsentSource.open(url, deadlineMs);
}
