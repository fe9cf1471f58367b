import type { Clock } from '../../kernel/clock.ts';
import { type Collection, type CollectionDefinition, type Store, StoreUnavailable } from '../contract.ts';
import { KnownCollections } from '../known-collections.ts';
import type { Migration } from '../migrations.ts';
import { SqliteCollection } from './sqlite-collection.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { migrateSqlite } from './sqlite-migrations.ts';

export interface SqliteStoreOptions {
  /** Made, with its folder, when it is not there. */
  readonly path: string;
  readonly clock: Clock;
  readonly deadlineMs: number;
  readonly migrations: readonly Migration[];
}

/** The embedded database: one file, shared by all processes of the machine. What was acknowledged is on the disk. */
export class SqliteStore implements Store {
  readonly #connection: SqliteConnection;
  readonly #collections = new KnownCollections();

  constructor({ path, clock, deadlineMs, migrations }: SqliteStoreOptions) {
    this.#connection = new SqliteConnection(path, clock, deadlineMs);
    try {
      migrateSqlite(this.#connection, migrations);
    } catch (error) {
      this.#connection.close();
      throw error;
    }
    this.#connection.database.function('contains_text', { deterministic: true }, (text, lowerCasePart) =>
      Number(typeof text === 'string' && text.toLowerCase().includes(String(lowerCasePart))),
    );
  }

  collection<Value extends object>(definition: CollectionDefinition<Value>): Collection<Value> {
    return this.#collections.get(definition, () => new SqliteCollection(this.#connection, definition));
  }

  version(): number | undefined {
    try {
      return this.#connection.changes.version;
    } catch {
      // Whoever reads next is told what is wrong.
      return undefined;
    }
  }

  async ping(): Promise<void> {
    if (!this.#connection.isInPlace) throw new StoreUnavailable();
    // Reading the schema touches the file; a constant would be answered without it.
    const { database } = this.#connection;
    await this.#connection.attempt(() => database.prepare('SELECT count(*) FROM sqlite_schema').get());
  }

  async close(): Promise<void> {
    this.#connection.close();
  }
}
