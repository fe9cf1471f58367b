import { chmodSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Collection, type CollectionDefinition, type Store, StoreUnavailable } from '../contract.ts';
import { SqliteCollection } from './sqlite-collection.ts';

const BUSY_MS = 5000;

/** The embedded database: one file, shared by all processes of the machine. What was acknowledged is on the disk. */
export class SqliteStore implements Store {
  readonly #database: DatabaseSync;
  readonly #collections = new Map<string, Collection<object>>();

  constructor(path: string) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    this.#database = new DatabaseSync(path);
    chmodSync(path, 0o600);
    this.#database.exec(
      `PRAGMA busy_timeout = ${BUSY_MS}; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536`,
    );
    this.#database.function('contains_text', { deterministic: true }, (text, part) =>
      Number(typeof text === 'string' && text.toLowerCase().includes(String(part).toLowerCase())),
    );
  }

  collection<Value extends object>(definition: CollectionDefinition<Value>): Collection<Value> {
    const known = this.#collections.get(definition.name);
    const collection = known ?? new SqliteCollection(this.#database, definition);
    this.#collections.set(definition.name, collection as Collection<object>);
    return collection as Collection<Value>;
  }

  async ping(): Promise<void> {
    try {
      this.#database.prepare('SELECT 1').get();
    } catch (cause) {
      throw new StoreUnavailable({ cause });
    }
  }

  async close(): Promise<void> {
    if (this.#database.isOpen) this.#database.close();
  }
}
