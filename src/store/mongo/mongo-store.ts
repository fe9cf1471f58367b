import { MongoClient, type MongoClientOptions } from 'mongodb';
import type { Collection, CollectionDefinition, Store } from '../contract.ts';
import { KnownCollections } from '../known-collections.ts';
import { assertPlainName } from '../member-names.ts';
import type { Migration } from '../migrations.ts';
import { MongoCalls } from './mongo-calls.ts';
import { MongoCollection } from './mongo-collection.ts';
import { migrateMongo } from './mongo-migrations.ts';

export interface MongoStoreOptions {
  /** Holds credentials: it appears in no message. */
  readonly url: string;
  readonly deadlineMs: number;
  readonly migrations: readonly Migration[];
}

const DEFAULT_DATABASE = 'gatehouse';
const MIGRATION_MS = 600_000;

export class MongoStore implements Store {
  readonly #client: MongoClient;
  readonly #databaseName: string | undefined;
  readonly #calls: MongoCalls;
  readonly #collections = new KnownCollections();

  static async open({ url, deadlineMs, migrations }: MongoStoreOptions): Promise<MongoStore> {
    const store = new MongoStore(url, deadlineMs);
    try {
      await store.ping();
      await new MongoCalls(MIGRATION_MS).call(() => migrateMongo(store.#database, migrations));
      return store;
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  private constructor(url: string, deadlineMs: number) {
    this.#client = clientFor(url, deadlineMs);
    this.#databaseName = /^[^:]+:\/\/[^/]+\/[^?]/.test(url) ? undefined : DEFAULT_DATABASE;
    this.#calls = new MongoCalls(deadlineMs);
  }

  collection<Value extends object>(definition: CollectionDefinition<Value>): Collection<Value> {
    assertPlainName(definition.name);
    return this.#collections.get(
      definition,
      () => new MongoCollection(this.#database, this.#calls, definition),
    );
  }

  /** Nothing but change streams could tell, and they need a replica set. */
  version(): undefined {}

  async ping(): Promise<void> {
    await this.#calls.call(() => this.#database.command({ ping: 1 }));
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  get #database() {
    return this.#client.db(this.#databaseName);
  }
}

function clientFor(url: string, deadlineMs: number): MongoClient {
  // A little earlier than the whole call: the driver's own error says what it waited for.
  const stageMs = Math.ceil(deadlineMs * 0.8);
  const options: MongoClientOptions = {
    appName: 'gatehouse',
    serverSelectionTimeoutMS: stageMs,
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
