import { createHash } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A file that stands in the working directory for as long as a write block is lifted. */
export class BlockJournal {
  readonly path: string;
  readonly #folder: string;
  readonly #entry: object;

  constructor(folder: string, url: string, index: string) {
    // The same name may stand for another index on another engine.
    const id = createHash('sha256').update(`${url}/${index}`).digest('hex').slice(0, 8);
    this.#folder = folder;
    this.path = join(folder, `write_block_${index}_${id}.json`);
    this.#entry = { url, index, 'index.blocks.write': 'true' };
  }

  get isWritten(): boolean {
    return existsSync(this.path);
  }

  /** It is on the disk when this returns. */
  write(): void {
    const file = openSync(this.path, 'w', 0o644);
    try {
      writeSync(file, `${JSON.stringify(this.#entry)}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    this.#settleFolder();
  }

  remove(): void {
    rmSync(this.path, { force: true });
    this.#settleFolder();
  }

  /** A new name, too, is safe only when its folder is on the disk. */
  #settleFolder(): void {
    const folder = openSync(this.#folder, 'r');
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
  }
}
