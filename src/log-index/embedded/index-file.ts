import { chmodSync, closeSync, existsSync, openSync, rmSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { ReadDocument } from './mapping.ts';
import { isTurnOver, nextTurn } from './next-turn.ts';
import type { CompiledQuery } from './query.ts';
import { WriteAheadLog } from './write-ahead-log.ts';

/** A document as it is stored. `number` is its place in the file and stays; `seqNo` grows with every change to any document. */
export interface StoredDocument {
  readonly number: number;
  readonly id: string;
  readonly version: number;
  readonly seqNo: number;
  readonly source: string;
}

export interface NewDocument extends ReadDocument {
  readonly id: string;
  readonly source: string;
}

/** Where a change left a document. */
export interface Written {
  readonly version: number;
  readonly seqNo: number;
}

/** A document that meets a query, as it was then. */
export interface Match {
  readonly number: number;
  readonly seqNo: number;
  readonly timestampMs: number | null;
}

type CheckedMatch = Match & { readonly source: string };

/** By the time of the documents or by their place in the file. */
export interface Order {
  readonly by: 'time' | 'place';
  readonly isDescending: boolean;
}

const SCHEMA = `
  CREATE TABLE documents (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    version INTEGER NOT NULL,
    seq_no INTEGER NOT NULL,
    timestamp_ms INTEGER,
    source TEXT NOT NULL
  ) STRICT;
  CREATE INDEX documents_by_time ON documents (timestamp_ms);
  CREATE TABLE postings (
    field INTEGER NOT NULL,
    value TEXT NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (field, value, number)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE state (next_seq_no INTEGER NOT NULL, replaced INTEGER NOT NULL) STRICT;
  INSERT INTO state VALUES (0, 0);
`;
const CACHE_KIB = 16_384;
const CHECKPOINT_PAGES = 4000;
const PAGES_A_TURN = 256;
/** Rows looked at in one turn: by SQLite alone, or with the document parsed. */
const NUMBERS_A_TURN = 10_000;
const CHECKED_A_TURN = 1000;
const MOST_STATEMENTS = 200;
const SELECTED = 'number, id, version, seq_no AS seqNo, source';

/** The documents of one index, in a file of their own: an index that is dropped gives its bytes back at once. */
export class IndexFile {
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #log: WriteAheadLog;
  readonly #statements = new Map<string, StatementSync>();
  #nextSeqNo: number;
  #replaced: number;

  constructor(path: string) {
    this.#path = path;
    const isNew = createPrivately(path);
    this.#database = new DatabaseSync(path);
    this.#log = new WriteAheadLog(path);
    try {
      // Freed pages are given back piece by piece. A commit does not wait for the disk: `settle` does, beside the event loop.
      this.#database.exec(`
        PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;
        PRAGMA synchronous = NORMAL; PRAGMA cache_size = -${CACHE_KIB}; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
      if (isNew) this.#database.exec(SCHEMA);
      const state = this.#prepare('SELECT next_seq_no AS nextSeqNo, replaced FROM state').get();
      const { nextSeqNo, replaced } = state as unknown as { nextSeqNo: number; replaced: number };
      this.#nextSeqNo = nextSeqNo;
      this.#replaced = replaced;
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  get isOpen(): boolean {
    return this.#database.isOpen;
  }

  /** Documents that were changed or deleted since space was last given back. */
  get replacedCount(): number {
    return this.#replaced;
  }

  get sizeBytes(): number {
    return this.#pragma('page_count') * this.#pragma('page_size');
  }

  get isEmpty(): boolean {
    return this.#lastNumber() === 0;
  }

  /** All or nothing, within one turn. */
  transaction<Result>(act: () => Result): Result {
    const before = { nextSeqNo: this.#nextSeqNo, replaced: this.#replaced };
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const result = act();
      this.#prepare('UPDATE state SET next_seq_no = ?, replaced = ?').run(this.#nextSeqNo, this.#replaced);
      this.#database.exec('COMMIT');
      return result;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      this.#nextSeqNo = before.nextSeqNo;
      this.#replaced = before.replaced;
      throw error;
    }
  }

  /** Resolves when everything committed so far is on the disk: nothing is acknowledged before. */
  settle(): Promise<void> {
    return this.#log.settle();
  }

  find(id: string): StoredDocument | undefined {
    const statement = this.#prepare(`SELECT ${SELECTED} FROM documents WHERE id = ?`);
    return statement.get(id) as unknown as StoredDocument | undefined;
  }

  at(number: number): StoredDocument | undefined {
    const statement = this.#prepare(`SELECT ${SELECTED} FROM documents WHERE number = ?`);
    return statement.get(number) as unknown as StoredDocument | undefined;
  }

  /** Undefined when the id is taken. */
  insert({ id, source, timestampMs, terms }: NewDocument): Written | undefined {
    const { changes, lastInsertRowid } = this.#prepare(
      `INSERT INTO documents (id, version, seq_no, timestamp_ms, source) VALUES (?, 1, ?, ?, ?)
       ON CONFLICT (id) DO NOTHING`,
    ).run(id, this.#nextSeqNo, timestampMs, source);
    if (changes === 0) return undefined;
    this.#post(Number(lastInsertRowid), terms);
    return { version: 1, seqNo: this.#nextSeqNo++ };
  }

  replace(
    stored: StoredDocument,
    { source, timestampMs, terms }: Omit<NewDocument, 'id'>,
    oldTerms: ReadDocument['terms'],
  ): Written {
    const version = stored.version + 1;
    // Deleted and inserted anew: an update in place would leave the page of a shorter row as empty as it gets.
    this.#prepare('DELETE FROM documents WHERE number = ?').run(stored.number);
    this.#prepare('INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?)').run(
      stored.number,
      stored.id,
      version,
      this.#nextSeqNo,
      timestampMs,
      source,
    );
    if (!isSame(terms, oldTerms)) {
      this.#unpost(stored.number, oldTerms);
      this.#post(stored.number, terms);
    }
    this.#replaced++;
    return { version, seqNo: this.#nextSeqNo++ };
  }

  remove(number: number, terms: ReadDocument['terms']): void {
    this.#unpost(number, terms);
    this.#prepare('DELETE FROM documents WHERE number = ?').run(number);
    this.#replaced++;
    this.#nextSeqNo++;
  }

  async count({ sql, parameters, check }: CompiledQuery): Promise<number> {
    if (!check) {
      const statement = this.#prepare(`SELECT count(*) AS count FROM documents WHERE ${sql}`);
      return (statement.get(...parameters) as { count: number }).count;
    }
    let count = 0;
    for await (const matches of this.matches({ sql, parameters, check })) count += matches.length;
    return count;
  }

  /** Whatever meets the query, in the order of the file, in portions that each take one turn. */
  async *matches(query: CompiledQuery): AsyncGenerator<Match[]> {
    const { sql, parameters, check } = query;
    const window = check ? CHECKED_A_TURN : NUMBERS_A_TURN;
    const columns = `number, seq_no AS seqNo, timestamp_ms AS timestampMs${check ? ', source' : ''}`;
    const statement = this.#prepare(
      `SELECT ${columns} FROM documents WHERE number > ? AND number <= ? AND ${sql} ORDER BY number`,
    );
    const last = this.#lastNumber();
    for (let after = 0; after < last; after += window) {
      if (!this.isOpen) return;
      const rows = statement.all(after, after + window, ...parameters) as unknown as CheckedMatch[];
      const met = check ? rows.filter(({ source }) => check(JSON.parse(source))) : rows;
      if (met.length > 0) yield met;
      await nextTurn();
    }
  }

  /** The first that meet a query which SQLite decides alone, by time or by their place, behind a place where one was left off. */
  first({ sql, parameters }: CompiledQuery, order: Order, after: number | undefined, limit: number): Match[] {
    const { by, isDescending } = order;
    const direction = isDescending ? 'DESC' : 'ASC';
    const compared = isDescending ? '<' : '>';
    const key = by === 'time' ? 'timestamp_ms' : 'number';
    const statement = this.#prepare(
      `SELECT number, seq_no AS seqNo, timestamp_ms AS timestampMs FROM documents
       WHERE ${sql} ${after === undefined ? '' : `AND ${key} ${compared} ?`}
       ORDER BY ${key} ${direction} ${by === 'time' ? 'NULLS LAST, number' : ''} LIMIT ?`,
    );
    return statement.all(...parameters, ...(after === undefined ? [] : [after]), limit) as unknown as Match[];
  }

  /** Gives the space of what was changed and deleted back to the disk, some of it a turn. */
  async shrink(): Promise<void> {
    for (let free = this.#pragma('freelist_count'); free > 0; ) {
      const beganAt = performance.now();
      do {
        this.#database.exec(`PRAGMA incremental_vacuum(${PAGES_A_TURN})`);
        const left = this.#pragma('freelist_count');
        if (left >= free) return;
        free = left;
      } while (free > 0 && !isTurnOver(beganAt));
      await nextTurn();
      if (!this.isOpen) return;
    }
    this.#replaced = 0;
    this.transaction(() => {});
    this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  close(): void {
    if (!this.isOpen) return;
    this.#database.close();
    this.#log.close();
  }

  /** Closes it and takes it off the disk. */
  destroy(): void {
    this.close();
    for (const suffix of ['', '-wal', '-shm']) rmSync(this.#path + suffix, { force: true });
  }

  #post(number: number, terms: ReadDocument['terms']): void {
    for (const [fieldNo, value] of terms)
      this.#prepare('INSERT OR IGNORE INTO postings (field, value, number) VALUES (?, ?, ?)').run(
        fieldNo,
        value,
        number,
      );
  }

  #unpost(number: number, terms: ReadDocument['terms']): void {
    for (const [fieldNo, value] of terms)
      this.#prepare('DELETE FROM postings WHERE field = ? AND value = ? AND number = ?').run(
        fieldNo,
        value,
        number,
      );
  }

  #lastNumber(): number {
    const row = this.#prepare('SELECT max(number) AS last FROM documents').get();
    return (row as { last: number | null }).last ?? 0;
  }

  #pragma(name: string): number {
    return Object.values(this.#prepare(`PRAGMA ${name}`).get()!)[0] as number;
  }

  /** Queries are few in their shapes, so that their statements can be kept; beyond a bound all are made anew. */
  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known) return known;
    if (this.#statements.size >= MOST_STATEMENTS) this.#statements.clear();
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

/** Nobody else on the machine may read what went through the gateway. True when the file was not there. */
function createPrivately(path: string): boolean {
  const isNew = !existsSync(path);
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
  return isNew;
}

function isSame(some: ReadDocument['terms'], others: ReadDocument['terms']): boolean {
  return (
    some.length === others.length &&
    some.every(([fieldNo, value], index) => others[index]![0] === fieldNo && others[index]![1] === value)
  );
}
