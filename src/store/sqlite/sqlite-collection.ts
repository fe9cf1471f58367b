import type { StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type Change,
  type Collection,
  type CollectionDefinition,
  DEFAULT_LIMIT,
  DuplicateKey,
  type Filter,
  type ListQuery,
  StaleRevision,
  type Stored,
} from '../contract.ts';
import { KeptUntilChanged } from '../kept-until-changed.ts';
import { assertPlainName } from '../member-names.ts';
import { newId } from '../new-id.ts';
import { changeSql } from './change-sql.ts';
import { filterSql, memberSql, type Sql, type SqlValue } from './filter-sql.ts';
import { primaryCode, type SqliteConnection } from './sqlite-connection.ts';

interface Row {
  readonly id: string;
  readonly revision: number;
  readonly doc: string;
}

const MAX_CACHED_STATEMENTS = 200;
const MAX_KEPT_COUNTS = 100;
const MAX_KEPT_DOCUMENTS = 1000;
/** A removal holds up the event loop for about as many milliseconds as there are hundreds of these. */
const REMOVAL_ROWS = 500;
const SQLITE_CONSTRAINT = 19;

/** One table: id, revision, and the document as JSON text, with indexes on the members that matter. */
export class SqliteCollection<Value extends object> implements Collection<Value> {
  readonly #connection: SqliteConnection;
  readonly #name: string;
  readonly #table: string;
  readonly #uniqueKeys = new Map<string, readonly string[]>();
  readonly #statements = new Map<string, StatementSync>();
  /** SQLite counts by walking an index, and every page of a list shows the total. */
  readonly #counts = new KeptUntilChanged<number>(MAX_KEPT_COUNTS);
  /** Every request asks for the same few: its token, the token's owner, its project. */
  readonly #documents = new KeptUntilChanged<Stored<Value>>(MAX_KEPT_DOCUMENTS);

  constructor(connection: SqliteConnection, { name, unique, indexed }: CollectionDefinition<Value>) {
    this.#connection = connection;
    this.#name = name;
    this.#table = tableOf(name);
    for (const members of unique) this.#uniqueKeys.set(indexNameOf(name, 'unique', members), members);
    const definition = [
      `CREATE TABLE IF NOT EXISTS ${this.#table} (id TEXT PRIMARY KEY, revision INTEGER NOT NULL, doc TEXT NOT NULL) STRICT`,
      // SQLite lets a unique index hold any number of entries that lack a member, as the contract wants it.
      ...unique.map((members) => this.#indexSql('unique', members)),
      ...indexed.map((members) => this.#indexSql('indexed', members)),
    ];
    connection.attemptInPlace(() => {
      try {
        connection.transaction(() =>
          definition.forEach((sql) => {
            connection.database.exec(sql);
          }),
        );
      } catch (error) {
        throw this.#withDuplicateKey(error);
      }
    });
  }

  async insert(value: Value, id = newId()): Promise<Stored<Value>> {
    await this.#attemptWrite(() => this.#insert(id, value));
    return { id, revision: 1, value };
  }

  async insertMany(values: readonly Value[]): Promise<void> {
    await this.#attemptWrite(() =>
      this.#connection.transaction(() => {
        for (const value of values) this.#insert(newId(), value);
      }),
    );
  }

  async get(id: string): Promise<Stored<Value> | undefined> {
    return this.#readOne('SELECT id, revision, doc FROM $table WHERE id = ?', [id]);
  }

  async findOne(where: Filter<Value>): Promise<Stored<Value> | undefined> {
    const { text, values } = filterSql(where);
    // A limit that is bound instead of written costs more than all the rest of the look-up.
    return this.#readOne(`SELECT id, revision, doc FROM $table WHERE ${text} ORDER BY id LIMIT 1`, values);
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
    const { text, values } = filterSql(where);
    const sql = `SELECT count(*) AS total FROM $table WHERE ${text}`;
    return this.#connection.attempt(() =>
      this.#readAgain(this.#counts, text + JSON.stringify(values), () =>
        Number(this.#statement(sql).get(...values)!.total),
      ),
    );
  }

  async replace(id: string, revision: number, value: Value): Promise<Stored<Value>> {
    const replaced = await this.#run({
      text: 'UPDATE $table SET revision = revision + 1, doc = ? WHERE id = ? AND revision = ?',
      values: [JSON.stringify(value), id, revision],
    });
    if (replaced === 0) throw new StaleRevision(this.#name, id);
    return { id, revision: revision + 1, value };
  }

  async change(where: Filter<Value>, change: Change<Value>): Promise<Stored<Value> | undefined> {
    const filter = filterSql(where);
    const changed = changeSql(change);
    const sql = `UPDATE $table SET revision = revision + 1, doc = ${changed.text}
       WHERE id = (SELECT id FROM $table WHERE ${filter.text} ORDER BY id LIMIT 1) RETURNING id, revision, doc`;
    const values = [...changed.values, ...filter.values];
    const row = await this.#attemptWrite(() => this.#statement(sql).get(...values) as Row | undefined);
    return row && storedOf<Value>(row);
  }

  async remove(id: string, revision?: number): Promise<boolean> {
    if (revision === undefined) return (await this.#run(removeSql('id = ?', [id]))) > 0;
    const removed = await this.#run(removeSql('id = ? AND revision = ?', [id, revision]));
    if (removed === 0 && (await this.get(id))) throw new StaleRevision(this.#name, id);
    return removed > 0;
  }

  async removeWhere(where: Filter<Value>): Promise<number> {
    const { text, values } = filterSql(where);
    const batch = `rowid IN (SELECT rowid FROM $table WHERE ${text} LIMIT ${REMOVAL_ROWS})`;
    for (let total = 0; ; ) {
      const removed = await this.#run(removeSql(batch, values));
      total += removed;
      if (removed < REMOVAL_ROWS) return total;
      // Others get their turn, in this process and in the other ones.
      await nextTurn();
    }
  }

  #insert(id: string, value: Value): void {
    this.#statement('INSERT INTO $table (id, revision, doc) VALUES (?, 1, ?)').run(id, JSON.stringify(value));
  }

  #indexSql(kind: IndexKind, members: readonly string[]): string {
    const columns = members.map(memberSql).join(', ');
    const head = `INDEX IF NOT EXISTS ${indexNameOf(this.#name, kind, members)} ON ${this.#table}`;
    // Lists break ties by id: with the id in the index they need not sort.
    return kind === 'unique' ? `CREATE UNIQUE ${head} (${columns})` : `CREATE ${head} (${columns}, id)`;
  }

  async #readOne(sql: string, values: readonly SqlValue[]): Promise<Stored<Value> | undefined> {
    // What reads cannot be refused for a key that is taken, so nothing stands between them and the connection.
    return this.#connection.attempt(() =>
      this.#readAgain(this.#documents, keyOf(sql, values), () => {
        const row = this.#statement(sql).get(...values) as Row | undefined;
        return row && deeplyFrozen(storedOf<Value>(row));
      }),
    );
  }

  /** What is kept from an earlier read, or else what `read` finds. That nothing was found is not kept. */
  #readAgain<Result, Read extends Result | undefined>(
    kept: KeptUntilChanged<Result>,
    key: string,
    read: () => Read,
  ): Read {
    const { version } = this.#connection.changes;
    const known = kept.find(key, version);
    if (known !== undefined) return known as Read;
    const found = read();
    if (found !== undefined) kept.keep(key, version, found);
    return found;
  }

  async #read(sql: string, values: readonly SqlValue[]): Promise<Stored<Value>[]> {
    const rows = (await this.#attempt(() => this.#statement(sql).all(...values))) as unknown as Row[];
    return rows.map((row) => storedOf<Value>(row));
  }

  async #run({ text, values }: Sql): Promise<number> {
    return Number((await this.#attemptWrite(() => this.#statement(text).run(...values))).changes);
  }

  /** What was read before counts no longer, before anybody can ask for it again. */
  #attemptWrite<Result>(act: () => Result): Promise<Result> {
    return this.#attempt(() => {
      try {
        return act();
      } finally {
        this.#connection.changes.note();
      }
    });
  }

  async #attempt<Result>(act: () => Result): Promise<Result> {
    try {
      return await this.#connection.attempt(act);
    } catch (error) {
      throw this.#withDuplicateKey(error);
    }
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known) return known;
    // Filters chosen by callers make statements that may never come again.
    if (this.#statements.size >= MAX_CACHED_STATEMENTS) this.#statements.clear();
    const statement = this.#connection.database.prepare(sql.replaceAll('$table', this.#table));
    this.#statements.set(sql, statement);
    return statement;
  }

  #withDuplicateKey(error: unknown): unknown {
    if (primaryCode(error) !== SQLITE_CONSTRAINT) return error;
    const index = /index '(\w+)'/.exec((error as Error).message)?.[1] ?? '';
    return new DuplicateKey(this.#name, this.#uniqueKeys.get(index) ?? ['id']);
  }
}

export type IndexKind = 'unique' | 'indexed';

export function tableOf(collection: string): string {
  assertPlainName(collection);
  return `c_${collection}`;
}

/** The lengths keep apart the members `a_b` and the pair of `a` and `b`. */
export function indexNameOf(collection: string, kind: IndexKind, members: readonly string[]): string {
  return [tableOf(collection), kind, ...members.map((member) => `${member.length}${member}`)].join('_');
}

function removeSql(condition: string, values: readonly SqlValue[]): Sql {
  return { text: `DELETE FROM $table WHERE ${condition}`, values };
}

function storedOf<Value>({ id, revision, doc }: Row): Stored<Value> {
  return { id, revision, value: JSON.parse(doc) };
}

/** One read of one statement. */
function keyOf(sql: string, values: readonly SqlValue[]): string {
  const [value] = values;
  return values.length === 1 && typeof value === 'string'
    ? `${sql} ${value}`
    : `${sql} ${JSON.stringify(values)}`;
}

/** What several readers share nobody may change. */
function deeplyFrozen<Whole>(whole: Whole): Whole {
  if (typeof whole !== 'object' || whole === null) return whole;
  for (const part of Object.values(whole)) deeplyFrozen(part);
  return Object.freeze(whole);
}
