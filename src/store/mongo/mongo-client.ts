import { type Db, MongoClient, type MongoClientOptions } from 'mongodb';

const DEFAULT_DATABASE = 'gatehouse';
/** However long a call may last: whether there is a server is known sooner. */
const LONGEST_SELECTION_MS = 10_000;

/** A client whose every stage ends before the deadline of a whole call. */
export function mongoClientFor(url: string, deadlineMs: number): MongoClient {
  // A little earlier than the whole call: the driver's own error says what it waited for.
  const stageMs = Math.ceil(deadlineMs * 0.8);
  const options: MongoClientOptions = {
    appName: 'gatehouse',
    serverSelectionTimeoutMS: Math.min(stageMs, LONGEST_SELECTION_MS),
    connectTimeoutMS: stageMs,
    socketTimeoutMS: stageMs,
    waitQueueTimeoutMS: stageMs,
    // Acknowledged means: on the disks of most members, so that a new primary has it as well.
    writeConcern: { w: 'majority', journal: true, wtimeoutMS: stageMs },
  };
  try {
    return new MongoClient(url, options);
  } catch {
    // The driver's message may repeat the address with its password, so it is not even kept as the cause.
    throw new Error('the database URL is no valid MongoDB connection string');
  }
}

/** The one that the URL names, or ours. */
export function mongoDatabaseOf(client: MongoClient, url: string): Db {
  return client.db(/^[^:]+:\/\/[^/]+\/[^?]/.test(url) ? undefined : DEFAULT_DATABASE);
}
