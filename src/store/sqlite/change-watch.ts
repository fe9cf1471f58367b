import type { DatabaseSync, StatementSync } from 'node:sqlite';

/**
 * Tells whether anything in the file changed without looking at what: SQLite knows of the commits of other connections
 * (`data_version`), and this connection says of its own. What was read stays right until then.
 */
export class ChangeWatch {
  readonly #database: DatabaseSync;
  #statement: StatementSync | undefined;
  #others: unknown;
  #version = 0;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Something was written here. */
  note(): void {
    this.#version++;
  }

  /**
   * Another number once something was committed, by whomever. Taken before the data is read, which is then just as old
   * or newer, never older.
   */
  get version(): number {
    this.#statement ??= this.#prepare();
    const [others] = this.#statement.get() as unknown as [number];
    if (others !== this.#others) {
      this.#others = others;
      this.#version++;
    }
    return this.#version;
  }

  /** A row as an array is made in half the time. */
  #prepare(): StatementSync {
    const statement = this.#database.prepare('PRAGMA data_version');
    statement.setReturnArrays(true);
    return statement;
  }
}
