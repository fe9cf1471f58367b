import type { SQLInputValue } from 'node:sqlite';
import type { SqliteConnection } from '../sqlite/sqlite-connection.ts';
import type { ReplayTurn, TurnNote } from './unsent-records.ts';

const columns = 'holder, expires_at_ms, is_end_wanted, report';

/** One row of a table of its own, made when the first replay takes its turn. */
export class SqliteReplayTurn implements ReplayTurn {
  readonly #connection: SqliteConnection;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  read(): Promise<TurnNote | undefined> {
    return this.#change(`SELECT ${columns} FROM unsent_replay`);
  }

  async take({ holder, expiresAtMs, report }: TurnNote, nowMs: number, from = ''): Promise<boolean> {
    const taken = await this.#change(
      `INSERT INTO unsent_replay (id, ${columns}) VALUES (1, ?1, ?2, 0, ?3)
         ON CONFLICT (id) DO UPDATE SET holder = ?1, expires_at_ms = ?2, is_end_wanted = 0, report = ?3
         WHERE expires_at_ms <= ?4 OR holder = ?5 RETURNING ${columns}`,
      holder,
      expiresAtMs,
      report,
      nowMs,
      from,
    );
    return taken !== undefined;
  }

  keep({ holder, expiresAtMs, report }: Omit<TurnNote, 'isEndWanted'>): Promise<TurnNote | undefined> {
    return this.#change(
      `UPDATE unsent_replay SET expires_at_ms = ?, report = ? WHERE holder = ? RETURNING ${columns}`,
      expiresAtMs,
      report,
      holder,
    );
  }

  async wantEnd(nowMs: number): Promise<boolean> {
    const sql = `UPDATE unsent_replay SET is_end_wanted = 1 WHERE expires_at_ms > ? RETURNING ${columns}`;
    return (await this.#change(sql, nowMs)) !== undefined;
  }

  async #change(sql: string, ...values: readonly SQLInputValue[]): Promise<TurnNote | undefined> {
    const { database } = this.#connection;
    const row = await this.#connection.attempt(() => {
      database.exec(
        'CREATE TABLE IF NOT EXISTS unsent_replay (id INTEGER PRIMARY KEY, holder TEXT NOT NULL, expires_at_ms INTEGER NOT NULL, is_end_wanted INTEGER NOT NULL, report TEXT NOT NULL) STRICT',
      );
      return database.prepare(sql).get(...values);
    });
    if (!row) return undefined;
    return {
      holder: String(row.holder),
      expiresAtMs: Number(row.expires_at_ms),
      isEndWanted: row.is_end_wanted === 1,
      report: String(row.report),
    };
  }
}
