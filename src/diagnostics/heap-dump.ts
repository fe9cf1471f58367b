import { close, read, statfsSync } from 'node:fs';
import { promisify } from 'node:util';
import { getHeapStatistics } from 'node:v8';
import { fault } from '../kernel/faults.ts';
import { convertSnapshot } from './hprof/conversion.ts';
import { writeSnapshotFile } from './snapshot-file.ts';

/** `hprof` is what Java's tools open, `heapsnapshot` is V8's own. */
export const heapDumpFormats = ['hprof', 'heapsnapshot'] as const;
export type HeapDumpFormat = (typeof heapDumpFormats)[number];

export interface HeapDumpOptions {
  /** Where the snapshot is written on its way. */
  readonly folder: string;
  /** Bytes. */
  readonly freeMemory?: () => number;
}

export interface HeapDump extends AsyncDisposable {
  /** For how long the event loop stood still. */
  readonly pauseMs: number;
  /** The bytes of the file. Stops with the signal. */
  chunks(signal: AbortSignal): AsyncIterable<Uint8Array>;
}

/** V8 builds the snapshot in memory: about ten bytes for each of the heap when objects are small. */
const MEMORY_PER_HEAP_BYTE = 10;
const FILE_PER_HEAP_BYTE = 3;
const MEGABYTE = 1 << 20;
const RETRY_AFTER_SECONDS = 10;
const closeFile = promisify(close);
const readFile = promisify(read);

/** The process has one heap, whichever of its modules is asked for it. */
const heap = { isBeingDumped: false };

/** Takes a heap dump. It counts as being taken until it is disposed of, and there is only one at a time. */
export function takeHeapDump(format: HeapDumpFormat, options: HeapDumpOptions): HeapDump {
  if (heap.isBeingDumped)
    throw fault('diagnostics.busy', { what: 'heap dump' }, ['Retry-After', String(RETRY_AFTER_SECONDS)]);
  refuseWithoutRoom(options);
  heap.isBeingDumped = true;
  try {
    const timeMs = Date.now();
    const begunAtMs = performance.now();
    const fd = writeSnapshotFile(options.folder);
    return {
      pauseMs: Math.round(performance.now() - begunAtMs),
      chunks: (signal) => (format === 'hprof' ? convertSnapshot(fd, timeMs, signal) : fileChunks(fd, signal)),
      [Symbol.asyncDispose]: async () => {
        heap.isBeingDumped = false;
        await closeFile(fd);
      },
    };
  } catch (error) {
    heap.isBeingDumped = false;
    throw error;
  }
}

/** A pod that runs out of memory is of less use than a refusal. */
function refuseWithoutRoom({ folder, freeMemory = () => process.availableMemory() }: HeapDumpOptions): void {
  const { used_heap_size: used } = getHeapStatistics();
  refuseUnless('memory', used * MEMORY_PER_HEAP_BYTE, freeMemory());
  const { bavail, bsize } = statfsSync(folder);
  refuseUnless('space for files', used * FILE_PER_HEAP_BYTE, bavail * bsize);
}

function refuseUnless(what: string, needed: number, free: number): void {
  if (free >= needed) return;
  const inMegabytes = (bytes: number) => Math.ceil(bytes / MEGABYTE);
  throw fault('diagnostics.no-room', { what, needed: inMegabytes(needed), free: inMegabytes(free) });
}

async function* fileChunks(fd: number, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
  for (let position = 0; ; ) {
    signal.throwIfAborted();
    const { bytesRead, buffer } = await readFile(fd, Buffer.allocUnsafeSlow(MEGABYTE), 0, MEGABYTE, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
