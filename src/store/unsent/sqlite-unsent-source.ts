import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../kernel/clock.ts';
import { tableOf } from '../sqlite/sqlite-collection.ts';
import { SqliteConnection } from '../sqlite/sqlite-connection.ts';
import { SqliteReplayTurn } from './sqlite-replay-turn.ts';
import { SqliteUnsentRecords } from './sqlite-unsent-records.ts';
import {
  type Primary,
  type UnsentCollection,
  type UnsentRecords,
  type UnsentSource,
  unsentCollections,
} from './unsent-records.ts';

const CACHE_KIB = 4096;

/** The embedded platform database. */
export class SqliteUnsentSource implements UnsentSource {
  readonly name: string;
  readonly turn: SqliteReplayTurn;
  readonly #connection: SqliteConnection;
  readonly #clock: Clock;

  /** Undefined when the folder holds none. */
  static open(dataFolder: string, clock: Clock, deadlineMs: number): SqliteUnsentSource | undefined {
    const path = join(dataFolder, 'platform.db');
    return existsSync(path) ? new SqliteUnsentSource(path, clock, deadlineMs) : undefined;
  }

  private constructor(path: string, clock: Clock, deadlineMs: number) {
    this.name = path;
    this.#clock = clock;
    this.#connection = new SqliteConnection(path, clock, deadlineMs);
    // Records are read once, in their order, and then deleted: a large cache would be filled for nothing.
    this.#connection.database.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
    this.turn = new SqliteReplayTurn(this.#connection);
  }

  /** A file has no other members. */
  async primary(): Promise<Primary> {
    return { isPrimary: true };
  }

  async collections(): Promise<UnsentCollection[]> {
    const { database } = this.#connection;
    const tables = await this.#connection.attempt(() =>
      database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all(),
    );
    const names = new Set(tables.map(({ name }) => name));
    return unsentCollections.filter((collection) => names.has(tableOf(collection)));
  }

  records(collection: UnsentCollection): UnsentRecords {
    return new SqliteUnsentRecords(this.#connection, this.#clock, collection);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#connection.close();
  }
}
