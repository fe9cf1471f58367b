import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { getHeapSnapshot, getHeapStatistics } from 'node:v8';
import { fault } from '../kernel/faults.ts';
import { Conversion } from './hprof/conversion.ts';

/** `hprof` is what Java's tools open, `heapsnapshot` is V8's own. */
export const heapDumpFormats = ['hprof', 'heapsnapshot'] as const;
export type HeapDumpFormat = (typeof heapDumpFormats)[number];

/** V8 builds the snapshot in memory: about ten bytes for each byte of a heap of small objects. */
const MEMORY_PER_HEAP_BYTE = 10;
const MEGABYTE = 1 << 20;
const RETRY_AFTER_SECONDS = 10;
const BREATH_MS = 20;

/** The process has one heap, whichever of its modules is asked for it. */
const heap = { isBeingDumped: false };

/**
 * A heap dump that may begin: there is no other one, and enough memory. It must be read, to its end or not, for the next
 * one to be possible. Nothing of it is ever written to a disk.
 */
export function heapDump(
  format: HeapDumpFormat,
  signal: AbortSignal,
  freeMemory: () => number = () => process.availableMemory(),
): AsyncGenerator<Uint8Array, void> {
  if (heap.isBeingDumped)
    throw fault('diagnostics.busy', { what: 'heap dump' }, ['Retry-After', String(RETRY_AFTER_SECONDS)]);
  refuseWithoutMemory(freeMemory());
  heap.isBeingDumped = true;
  return released(format === 'hprof' ? hprof(signal) : heapSnapshot(signal));
}

async function* released(chunks: AsyncGenerator<Uint8Array, void>): AsyncGenerator<Uint8Array, void> {
  try {
    yield* chunks;
  } finally {
    heap.isBeingDumped = false;
  }
}

async function* hprof(signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
  signal.throwIfAborted();
  // Its thread starts while V8 is at work here.
  await using conversion = new Conversion(Date.now());
  const snapshot = getHeapSnapshot({ exposeNumericValues: true });
  try {
    // The loop stands still twice, above and while V8 writes the snapshot down; whoever waits is served in between.
    await sleep(BREATH_MS);
    snapshot.on('data', (chunk: Uint8Array<ArrayBuffer>) => conversion.push(chunk));
    await once(snapshot, 'end', { signal });
  } finally {
    snapshot.destroy();
  }
  conversion.end();
  yield* conversion.chunks(signal);
}

async function* heapSnapshot(signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
  signal.throwIfAborted();
  const snapshot = getHeapSnapshot();
  await sleep(BREATH_MS);
  for await (const chunk of snapshot) {
    signal.throwIfAborted();
    yield chunk as Uint8Array;
  }
}

/** A pod that runs out of memory is of less use than a refusal. */
function refuseWithoutMemory(free: number): void {
  const needed = getHeapStatistics().used_heap_size * MEMORY_PER_HEAP_BYTE;
  if (free >= needed) return;
  const inMegabytes = (bytes: number) => Math.ceil(bytes / MEGABYTE);
  throw fault('diagnostics.no-memory', { needed: inMegabytes(needed), free: inMegabytes(free) });
}
