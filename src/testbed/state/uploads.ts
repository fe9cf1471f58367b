import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** How full the upload folder is, counted in one place so that all processes together keep its limit. */
export class Uploads {
  #counting: Promise<void> | undefined;
  #usedBytes = 0;

  /** Sets room aside before it is written to; false when there is not enough. */
  async reserve(folder: string, bytes: number, maxFolderBytes: number): Promise<boolean> {
    this.#counting ??= this.#count(folder);
    await this.#counting;
    if (this.#usedBytes + bytes > maxFolderBytes) return false;
    this.#usedBytes += bytes;
    return true;
  }

  /** Gives back room that was not needed, or whose file is gone. */
  release(bytes: number): void {
    this.#usedBytes -= bytes;
  }

  async #count(folder: string): Promise<void> {
    this.#usedBytes += await sizeOfFolder(folder);
  }
}

/** What earlier runs left counts too. */
async function sizeOfFolder(folder: string): Promise<number> {
  const names = await readdir(folder).catch((): string[] => []);
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
