import type { Db, MongoClient } from 'mongodb';
import type { Collection, CollectionDefinition, Store } from '../contract.ts';
import { KnownCollections } from '../known-collections.ts';
import { assertPlainName } from '../member-names.ts';
import type { Migration } from '../migrations.ts';
import { MongoCalls } from './mongo-calls.ts';
import { mongoClientFor, mongoDatabaseOf } from './mongo-client.ts';
import { MongoCollection } from './mongo-collection.ts';
import { migrateMongo } from './mongo-migrations.ts';

export interface MongoStoreOptions {
  /** Holds credentials: it appears in no message. */
  readonly url: string;
  readonly deadlineMs: number;
  readonly migrations: readonly Migration[];
}

const MIGRATION_MS = 600_000;

export class MongoStore implements Store {
  readonly #client: MongoClient;
  readonly #database: Db;
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
    this.#client = mongoClientFor(url, deadlineMs);
    this.#database = mongoDatabaseOf(this.#client, url);
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
}
