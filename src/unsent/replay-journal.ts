import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { checkpointIn, type ReplayCheckpoint } from './replay-checkpoint.ts';
import { ReplayRefused } from './replay-target.ts';

const files = {
  checkpoint: 'replay-unsent.checkpoint.json',
  backup: 'replay-unsent.backup.ndjson',
  rejects: 'replay-unsent.rejects.ndjson',
  processed: 'replay-unsent.test.ndjson',
} as const;

type LineFile = Exclude<keyof typeof files, 'checkpoint'>;

/**
 * What a replay leaves on the disk, so that it can be cut off at any moment. Whatever is written here is on the disk when the
 * call is over. Only their owner may read the files: they hold what clients sent.
 */
export class ReplayJournal {
  readonly folder: string;
  readonly #repaired = new Set<LineFile>();

  constructor(folder: string) {
    this.folder = resolve(folder);
  }

  pathOf(file: keyof typeof files): string {
    return join(this.folder, files[file]);
  }

  /** Where what was written in this run stands. */
  filesWritten(): Partial<Record<LineFile, string>> {
    return Object.fromEntries([...this.#repaired].map((file) => [file, this.pathOf(file)]));
  }

  /** What an earlier run left that did not come to its end. */
  load(): ReplayCheckpoint | undefined {
    const path = this.pathOf('checkpoint');
    if (!existsSync(path)) return undefined;
    const text = readFileSync(path, 'utf8');
    const checkpoint = checkpointIn(text);
    if (!checkpoint)
      throw new ReplayRefused('order', `${path} is no checkpoint of a replay: forget it with --restart`);
    return checkpoint;
  }

  async save(checkpoint: ReplayCheckpoint): Promise<void> {
    const path = this.pathOf('checkpoint');
    const next = `${path}.new`;
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    await writeThrough(next, 'w', [JSON.stringify(checkpoint)]);
    // Either the old one stands there or the new one, never a part of it.
    renameSync(next, path);
    syncFolder(this.folder);
  }

  forget(): void {
    rmSync(this.pathOf('checkpoint'), { force: true });
  }

  /** Lines are made one by one while they are written: all at once they would be another copy of the batch. */
  async append(file: LineFile, lines: Iterable<string>): Promise<void> {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    const path = this.pathOf(file);
    if (!this.#repaired.has(file)) cutTornLine(path);
    this.#repaired.add(file);
    await writeThrough(path, 'a', lines);
  }
}

async function writeThrough(path: string, flags: 'a' | 'w', lines: Iterable<string>): Promise<void> {
  const file = await open(path, flags, 0o600);
  try {
    let text = '';
    for (const line of lines) {
      text += `${line}\n`;
      if (text.length < TEXT_AT_ONCE) continue;
      await file.appendFile(text);
      text = '';
    }
    await file.appendFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

const TEXT_AT_ONCE = 256 * 1024;
const PIECE_BYTES = 65_536;
const LINE_BREAK = 10;

/** A process that was killed while it wrote leaves half a line: its record was not deleted, so it comes again. */
function cutTornLine(path: string): void {
  if (!existsSync(path)) return;
  const file = openSync(path, 'r+');
  try {
    const { size } = fstatSync(file);
    const piece = Buffer.alloc(PIECE_BYTES);
    for (let end = size; ; ) {
      const start = Math.max(0, end - PIECE_BYTES);
      const length = readSync(file, piece, 0, end - start, start);
      const at = piece.subarray(0, length).lastIndexOf(LINE_BREAK);
      const whole = start + at + 1;
      if (at >= 0 || start === 0) {
        if (whole < size) ftruncateSync(file, whole);
        return;
      }
      end = start;
    }
  } finally {
    closeSync(file);
  }
}

function syncFolder(folder: string): void {
  const file = openSync(folder, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
