import { type FileHandle, open } from 'node:fs/promises';

/**
 * The write-ahead log of a SQLite file whose commits do not wait for the disk. Commits stand in it until a checkpoint, which
 * waits for the disk by itself; so whoever waits for the log has waited for every commit.
 */
export class WriteAheadLog {
  readonly #path: string;
  #file: Promise<FileHandle> | undefined;
  #lastSync: Promise<void> = Promise.resolve();
  #nextSync: Promise<void> | undefined;
  #isClosed = false;

  constructor(databasePath: string) {
    this.#path = `${databasePath}-wal`;
  }

  /** Resolves when everything committed so far is on the disk. Whoever comes while a wait is under way shares the next. */
  settle(): Promise<void> {
    const last = this.#lastSync.catch(() => {});
    this.#nextSync ??= last.then(() => {
      this.#nextSync = undefined;
      this.#lastSync = this.#sync();
      return this.#lastSync;
    });
    return this.#nextSync;
  }

  async #sync(): Promise<void> {
    if (this.#isClosed) return;
    this.#file ??= open(this.#path, 'r');
    const file = await this.#file;
    if (!this.#isClosed) await file.sync();
  }

  /** A wait that is under way comes to its end; there is nothing to be told afterwards. */
  close(): void {
    this.#isClosed = true;
    this.#file?.then((file) => file.close()).catch(() => {});
  }
}
