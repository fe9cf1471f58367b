import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../kernel/clock.ts';
import { StoreUnavailable } from '../contract.ts';
import { ChangeWatch } from './change-watch.ts';

/** How long SQLite itself may wait for another process: the event loop stands still meanwhile. */
const LONGEST_STANDSTILL_MS = 20;
const CACHE_KIB = 65_536;

/** The error code proper; the upper bits tell finer differences. */
const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
/** Disk errors, a full disk, and a file that cannot be opened or written. */
const ENGINE_IS_AWAY = new Set([8, 10, 13, 14]);

interface SqliteError extends Error {
  readonly code?: string;
  readonly errcode?: number;
}

/** One file, shared with other processes, that waits for its turn without holding up the event loop. */
export class SqliteConnection {
  readonly database: DatabaseSync;
  readonly changes: ChangeWatch;
  readonly #path: string;
  readonly #fileNumber: number | undefined;
  readonly #clock: Clock;
  readonly #deadlineMs: number;

  constructor(path: string, clock: Clock, deadlineMs: number) {
    this.#path = path;
    this.#clock = clock;
    this.#deadlineMs = deadlineMs;
    this.database = openPrivately(path, deadlineMs);
    this.changes = new ChangeWatch(this.database);
    this.#fileNumber = fileNumberOf(path);
    try {
      // FULL: a commit returns when it is on the disk, so that a crash loses nothing acknowledged.
      this.database.exec(
        `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -${CACHE_KIB}`,
      );
      this.#standStillAtMost(LONGEST_STANDSTILL_MS);
    } catch (error) {
      this.database.close();
      throw translated(error);
    }
  }

  /** False once the file was removed, moved or replaced: what is open here is then no longer what others open. */
  get isInPlace(): boolean {
    return fileNumberOf(this.#path) === this.#fileNumber;
  }

  /** Tries again while another process holds the file, until the deadline. At once, as nearly always, costs no detour. */
  async attempt<Result>(act: () => Result): Promise<Result> {
    try {
      return act();
    } catch (error) {
      if (!isBusy(error)) throw translated(error);
    }
    return this.#attemptAgain(act);
  }

  async #attemptAgain<Result>(act: () => Result): Promise<Result> {
    const deadline = this.#clock.now() + this.#deadlineMs;
    for (;;) {
      // Processes that wait for the same file must not come back at the same moment.
      await this.#clock.sleep(1 + Math.random() * LONGEST_STANDSTILL_MS);
      try {
        return act();
      } catch (error) {
        if (!isBusy(error) || this.#clock.now() >= deadline) throw translated(error);
      }
    }
  }

  /** For the rare work at start that cannot be asynchronous: waits in place. */
  attemptInPlace<Result>(act: () => Result): Result {
    try {
      this.#standStillAtMost(this.#deadlineMs);
      return act();
    } catch (error) {
      throw translated(error);
    } finally {
      if (this.database.isOpen) this.#standStillAtMost(LONGEST_STANDSTILL_MS);
    }
  }

  /** All or nothing. Synchronous, because whatever ran in between would land in this transaction. */
  transaction<Result>(act: () => Result): Result {
    this.database.exec('BEGIN IMMEDIATE');
    try {
      const result = act();
      this.database.exec('COMMIT');
      return result;
    } catch (error) {
      if (this.database.isTransaction) this.database.exec('ROLLBACK');
      throw error;
    }
  }

  close(): void {
    if (this.database.isOpen) this.database.close();
  }

  #standStillAtMost(ms: number): void {
    this.database.exec(`PRAGMA busy_timeout = ${ms}`);
  }
}

/** Nobody else on the machine may read it, not even for the moment between creation and a chmod. */
function openPrivately(path: string, timeout: number): DatabaseSync {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    closeSync(openSync(path, 'a', 0o600));
    chmodSync(path, 0o600);
    return new DatabaseSync(path, { timeout });
  } catch (cause) {
    throw new StoreUnavailable({ cause });
  }
}

function fileNumberOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

function isBusy(error: unknown): boolean {
  const code = primaryCode(error);
  return code === SQLITE_BUSY || code === SQLITE_LOCKED;
}

function translated(error: unknown): unknown {
  const isClosed = (error as SqliteError).code === 'ERR_INVALID_STATE';
  return isClosed || isBusy(error) || ENGINE_IS_AWAY.has(primaryCode(error))
    ? new StoreUnavailable({ cause: error })
    : error;
}

export function primaryCode(error: unknown): number {
  return ((error as SqliteError).errcode ?? 0) & 0xff;
}
