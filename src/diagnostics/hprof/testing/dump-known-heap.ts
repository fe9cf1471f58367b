import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { HeapDumpFormat } from '../../heap-dump.ts';

export interface KnownDump extends Disposable {
  readonly file: string;
  /** Holds nothing but the file. */
  readonly folder: string;
  /** What V8 says that its heap took. */
  readonly heapBytes: number;
}

/** The dump of a process whose heap is known; see `known-heap.ts`. */
export async function dumpKnownHeap(format: HeapDumpFormat = 'hprof'): Promise<KnownDump> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-known-heap-'));
  const file = join(folder, `known.${format}`);
  const program = fileURLToPath(new URL('./known-heap.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [program, file, format]);
  return {
    file,
    folder,
    heapBytes: Number(stdout),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
