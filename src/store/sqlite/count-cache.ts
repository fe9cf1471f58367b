import type { StatementSync } from 'node:sqlite';
import type { SqliteConnection } from './sqlite-connection.ts';

const MAX_COUNTS = 100;

/**
 * SQLite counts by walking an index, and every page of a list shows the total. A count stays right until somebody
 * commits, and SQLite tells that cheaply: `data_version` for other connections, `total_changes` for this one.
 */
export class CountCache {
  readonly #connection: SqliteConnection;
  readonly #counts = new Map<string, number>();
  #versionStatement: StatementSync | undefined;
  #version = '';

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  get(key: string, count: () => number): number {
    this.#forgetOldCounts();
    const known = this.#counts.get(key);
    if (known !== undefined) return known;
    const counted = count();
    if (this.#counts.size < MAX_COUNTS) this.#counts.set(key, counted);
    return counted;
  }

  /** The version is read before counting: a commit in between makes the count newer than its version, never older. */
  #forgetOldCounts(): void {
    this.#versionStatement ??= this.#connection.database.prepare(
      'SELECT data_version AS others, total_changes() AS own FROM pragma_data_version',
    );
    const { others, own } = this.#versionStatement.get()!;
    const version = `${others}.${own}`;
    if (version !== this.#version) this.#counts.clear();
    this.#version = version;
  }
}
