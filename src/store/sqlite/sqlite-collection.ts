import { randomBytes } from 'node:crypto';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import {
  type Change,
  type Collection,
  type CollectionDefinition,
  DuplicateKey,
  type Filter,
  type ListQuery,
  StaleRevision,
  type Stored,
  StoreUnavailable,
} from '../contract.ts';
import { changeSql, filterSql, memberSql, type SqlValue } from './filter-sql.ts';

interface Row {
  readonly id: string;
  readonly revision: number;
  readonly doc: string;
}

const DEFAULT_LIMIT = 1000;
const MAX_CACHED_STATEMENTS = 200;

/** One table: id, revision, and the document as JSON text, with indexes on the members that matter. */
export class SqliteCollection<Value extends object> implements Collection<Value> {
  readonly #database: DatabaseSync;
  readonly #name: string;
  readonly #table: string;
  readonly #uniqueKeys = new Map<string, readonly string[]>();
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync, { name, unique, indexed }: CollectionDefinition<Value>) {
    if (!/^\w+$/.test(name)) throw new Error(`'${name}' is no name for a collection`);
    this.#database = database;
    this.#name = name;
    this.#table = `c_${name}`;
    database.exec(
      `CREATE TABLE IF NOT EXISTS ${this.#table} (id TEXT PRIMARY KEY, revision INTEGER NOT NULL, doc TEXT NOT NULL) STRICT`,
    );
    for (const members of unique) this.#createIndex('unique', members);
    for (const members of indexed) this.#createIndex('indexed', members);
  }

  async insert(value: Value, id = newId()): Promise<Stored<Value>> {
    this.#insert(id, value);
    return { id, revision: 1, value };
  }

  async insertMany(values: readonly Value[]): Promise<void> {
    // Nothing is awaited in between: another call would land in this transaction.
    this.#attempt(() => this.#database.exec('BEGIN IMMEDIATE'));
    try {
      for (const value of values) this.#insert(newId(), value);
      this.#database.exec('COMMIT');
    } catch (error) {
      this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  async get(id: string): Promise<Stored<Value> | undefined> {
    return this.#read('SELECT id, revision, doc FROM $table WHERE id = ?', [id])[0];
  }

  async findOne(where: Filter<Value>): Promise<Stored<Value> | undefined> {
    return (await this.list({ where, limit: 1 }))[0];
  }

  async list({
    where = {},
    orderBy,
    offset = 0,
    limit = DEFAULT_LIMIT,
  }: ListQuery<Value> = {}): Promise<Stored<Value>[]> {
    const filter = filterSql(where);
    const direction = orderBy?.descending ? 'DESC' : 'ASC';
    const order = orderBy && orderBy.member !== 'id' ? `${memberSql(orderBy.member)} ${direction}, ` : '';
    return this.#read(
      `SELECT id, revision, doc FROM $table WHERE ${filter.text} ORDER BY ${order}id ${direction} LIMIT ? OFFSET ?`,
      [...filter.values, limit, offset],
    );
  }

  async count(where: Filter<Value> = {}): Promise<number> {
    const filter = filterSql(where);
    const row = this.#attempt(() =>
      this.#statement(`SELECT count(*) AS total FROM $table WHERE ${filter.text}`).get(...filter.values),
    );
    return Number(row?.total);
  }

  async replace(id: string, revision: number, value: Value): Promise<Stored<Value>> {
    const changes = this.#run(
      'UPDATE $table SET revision = revision + 1, doc = ? WHERE id = ? AND revision = ?',
      [JSON.stringify(value), id, revision],
      id,
    );
    if (changes === 0) throw new StaleRevision(this.#name, id);
    return { id, revision: revision + 1, value };
  }

  async change(where: Filter<Value>, change: Change<Value>): Promise<Stored<Value> | undefined> {
    const filter = filterSql(where);
    const changed = changeSql(change);
    return this.#read(
      `UPDATE $table SET revision = revision + 1, doc = ${changed.text}
       WHERE id = (SELECT id FROM $table WHERE ${filter.text} ORDER BY id LIMIT 1) RETURNING id, revision, doc`,
      [...changed.values, ...filter.values],
    )[0];
  }

  async remove(id: string, revision?: number): Promise<boolean> {
    if (revision === undefined) return this.#run('DELETE FROM $table WHERE id = ?', [id], id) > 0;
    const removed = this.#run('DELETE FROM $table WHERE id = ? AND revision = ?', [id, revision], id) > 0;
    if (!removed && (await this.get(id))) throw new StaleRevision(this.#name, id);
    return removed;
  }

  async removeWhere(where: Filter<Value>): Promise<number> {
    const filter = filterSql(where);
    return this.#run(`DELETE FROM $table WHERE ${filter.text}`, filter.values);
  }

  #insert(id: string, value: Value): void {
    this.#run('INSERT INTO $table (id, revision, doc) VALUES (?, 1, ?)', [id, JSON.stringify(value)], id);
  }

  #createIndex(kind: 'unique' | 'indexed', members: readonly string[]): void {
    const index = `${this.#table}_${kind}_${members.join('_')}`;
    const expressions = members.map(memberSql);
    const present = expressions.map((expression) => `${expression} IS NOT NULL`).join(' AND ');
    if (kind === 'unique') this.#uniqueKeys.set(index, members);
    this.#database.exec(
      kind === 'unique'
        ? `CREATE UNIQUE INDEX IF NOT EXISTS ${index} ON ${this.#table} (${expressions.join(', ')}) WHERE ${present}`
        : `CREATE INDEX IF NOT EXISTS ${index} ON ${this.#table} (${expressions.join(', ')}, id)`,
    );
  }

  #read(sql: string, values: readonly SqlValue[]): Stored<Value>[] {
    const rows = this.#attempt(() => this.#statement(sql).all(...values)) as unknown as Row[];
    return rows.map(({ id, revision, doc }) => ({ id, revision, value: JSON.parse(doc) }));
  }

  #run(sql: string, values: readonly SqlValue[], id = ''): number {
    return Number(this.#attempt(() => this.#statement(sql).run(...values), id).changes);
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known) return known;
    // Lists of many values make statements that never come again.
    if (this.#statements.size >= MAX_CACHED_STATEMENTS) this.#statements.clear();
    const statement = this.#database.prepare(sql.replaceAll('$table', this.#table));
    this.#statements.set(sql, statement);
    return statement;
  }

  #attempt<Result>(act: () => Result, id = ''): Result {
    try {
      return act();
    } catch (error) {
      throw this.#translated(error as Error & { errcode?: number }, id);
    }
  }

  #translated(error: Error & { errcode?: number }, id: string): Error {
    const primaryCode = (error.errcode ?? 0) & 0xff;
    if (primaryCode === SQLITE_BUSY || primaryCode === SQLITE_LOCKED)
      return new StoreUnavailable({ cause: error });
    if (primaryCode !== SQLITE_CONSTRAINT) return error;
    const index = /index '(\w+)'/.exec(error.message)?.[1];
    const members = index === undefined ? undefined : this.#uniqueKeys.get(index);
    return new DuplicateKey(this.#name, members ?? ['id', id]);
  }
}

const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
const SQLITE_CONSTRAINT = 19;

function newId(): string {
  return randomBytes(12).toString('hex');
}
