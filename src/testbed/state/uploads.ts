import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../kernel/clock.ts';

/** Files that are still being written; they have no name of their own yet. */
export const PART_PREFIX = '.part-';
/** A part that nobody wrote to for this long belongs to a run that broke off. */
const MAX_PART_AGE_MS = 60 * 60_000;

/** How full the upload folder is, counted in one place so that all processes together keep its limit. */
export class Uploads {
  readonly #clock: Clock;
  #counting: Promise<void> | undefined;
  #storing: Promise<void> = Promise.resolve();
  #usedBytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Sets room aside before it is written to; false when there is not enough. */
  async reserve(folder: string, bytes: number, maxFolderBytes: number): Promise<boolean> {
    this.#counting ??= this.#count(folder);
    await this.#counting;
    if (this.#usedBytes + bytes > maxFolderBytes) return false;
    this.#usedBytes += bytes;
    return true;
  }

  /** Gives back room that was not needed. */
  release(bytes: number): void {
    this.#usedBytes -= bytes;
  }

  /** Gives a finished part its name. One after the other, so that what each replaces is counted once. */
  store(part: string, target: string, reservedBytes: number): Promise<void> {
    const stored = this.#storing.then(async () => {
      const { size } = await stat(part);
      const replacedBytes = await sizeOfFile(target);
      await rename(part, target);
      this.release(reservedBytes - size + replacedBytes);
    });
    this.#storing = stored.catch(() => {});
    return stored;
  }

  /** What earlier runs left counts too, except what they left unfinished. */
  async #count(folder: string): Promise<void> {
    const oldestMs = this.#clock.now() - MAX_PART_AGE_MS;
    for (const name of await readdir(folder).catch((): string[] => [])) {
      const path = join(folder, name);
      const { size, mtimeMs } = await stat(path);
      if (!name.startsWith(PART_PREFIX)) this.#usedBytes += size;
      else if (mtimeMs < oldestMs) await rm(path, { force: true });
    }
  }
}

async function sizeOfFile(path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined);
  return found?.size ?? 0;
}
