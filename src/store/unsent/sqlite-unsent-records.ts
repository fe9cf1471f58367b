import type { SQLInputValue } from 'node:sqlite';
import type { Clock } from '../../kernel/clock.ts';
import { tableOf } from '../sqlite/sqlite-collection.ts';
import type { SqliteConnection } from '../sqlite/sqlite-connection.ts';
import { growingIds } from './growing-id.ts';
import {
  LARGEST_RECORD_BYTES,
  type ReadWindow,
  type UnsentCollection,
  type UnsentRecord,
  type UnsentRecords,
  type WaitingRecord,
} from './unsent-records.ts';

interface Row {
  readonly id: string;
  readonly doc: string | null;
  readonly bytes: number;
}

/** In a table like those of the embedded database's collections. */
export class SqliteUnsentRecords implements UnsentRecords {
  readonly #connection: SqliteConnection;
  readonly #table: string;
  readonly #nextId: () => string;

  constructor(connection: SqliteConnection, clock: Clock, collection: UnsentCollection) {
    this.#connection = connection;
    this.#table = tableOf(collection);
    this.#nextId = growingIds(() => clock.now());
    connection.attemptInPlace(() =>
      connection.database.exec(
        `CREATE TABLE IF NOT EXISTS ${this.#table} (id TEXT PRIMARY KEY, revision INTEGER NOT NULL, doc TEXT NOT NULL) STRICT`,
      ),
    );
  }

  async append(records: readonly UnsentRecord[]): Promise<void> {
    await this.#connection.attempt(() =>
      this.#connection.transaction(() => {
        const insert = this.#prepare('INSERT INTO $table (id, revision, doc) VALUES (?, 1, ?)');
        for (const record of records) insert.run(this.#nextId(), JSON.stringify(record));
      }),
    );
  }

  count(): Promise<number> {
    return this.#number('SELECT count(*) AS number FROM $table');
  }

  /** The table and its index on the ids. */
  storageBytes(): Promise<number> {
    return this.#number(
      "SELECT coalesce(sum(pgsize), 0) AS number FROM dbstat WHERE name IN (?1, 'sqlite_autoindex_' || ?1 || '_1')",
      this.#table,
    );
  }

  async first(): Promise<WaitingRecord | undefined> {
    return (await this.#select('ORDER BY id LIMIT 1', [])).at(0);
  }

  async last(): Promise<WaitingRecord | undefined> {
    return (await this.#select('ORDER BY id DESC LIMIT 1', [])).at(0);
  }

  async keyAt(position: number): Promise<string | undefined> {
    const row = await this.#connection.attempt(() =>
      this.#prepare('SELECT id FROM $table ORDER BY id LIMIT 1 OFFSET ?').get(position),
    );
    return row?.id as string | undefined;
  }

  read({ after = '', through, limit, maxBytes }: ReadWindow): Promise<WaitingRecord[]> {
    const upTo = through === undefined ? '' : 'AND id <= ?3';
    const values = through === undefined ? [after, limit] : [after, limit, through];
    return this.#select(`WHERE id > ?1 ${upTo} ORDER BY id LIMIT ?2`, values, maxBytes);
  }

  async delete(keys: readonly string[]): Promise<number> {
    const { changes } = await this.#connection.attempt(() =>
      this.#prepare('DELETE FROM $table WHERE id IN (SELECT value FROM json_each(?))').run(
        JSON.stringify(keys),
      ),
    );
    return Number(changes);
  }

  /** SQLite knows no compaction of one table: the whole file is written anew. */
  async compact(): Promise<void> {
    const { database } = this.#connection;
    await this.#connection.attempt(() => database.exec('VACUUM'));
    await this.#connection.attempt(() => database.exec('PRAGMA wal_checkpoint(TRUNCATE)'));
  }

  async #select(
    where: string,
    values: readonly SQLInputValue[],
    maxBytes = Number.POSITIVE_INFINITY,
  ): Promise<WaitingRecord[]> {
    const sql = `SELECT id, octet_length(doc) AS bytes, iif(octet_length(doc) > ${LARGEST_RECORD_BYTES}, NULL, doc) AS doc FROM $table ${where}`;
    return this.#connection.attempt(() => {
      const found: WaitingRecord[] = [];
      let bytes = 0;
      for (const row of this.#prepare(sql).iterate(...values) as Iterable<unknown> as Iterable<Row>) {
        bytes += row.doc === null ? 0 : row.bytes;
        if (bytes > maxBytes && found.length > 0) break;
        found.push(waitingRecord(row));
      }
      return found;
    });
  }

  async #number(sql: string, ...values: readonly SQLInputValue[]): Promise<number> {
    return this.#connection.attempt(() => Number(this.#prepare(sql).get(...values)!.number));
  }

  #prepare(sql: string) {
    return this.#connection.database.prepare(sql.replaceAll('$table', this.#table));
  }
}

function waitingRecord({ id, doc, bytes }: Row): WaitingRecord {
  const value = doc === null ? {} : (JSON.parse(doc) as Partial<Record<keyof UnsentRecord, unknown>>);
  return {
    key: id,
    id,
    timestamp: textOf(value.log_timestamp),
    connectorId: textOf(value.connector_id),
    content: textOf(value.content),
    bytes,
    exported: () => JSON.stringify({ _id: id, ...value }),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
