import { on } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

/** What the thread is started with. */
export interface ConversionSettings {
  /** Of the snapshot; it stays open until the thread has ended. */
  readonly fd: number;
  readonly timeMs: number;
  /** So many chunks may be under way. */
  readonly window: number;
}

const WINDOW = 8;
/** Columns and strings of the snapshot stand outside of the thread's heap; what stands in it depends on them only little. */
const MAX_HEAP_MB = 512;

/** The heap snapshot in `fd` as an HPROF file. The work is done in a thread of its own, no faster than the chunks are taken. */
export async function* convertSnapshot(
  fd: number,
  timeMs: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  const settings: ConversionSettings = { fd, timeMs, window: WINDOW };
  // The file beside this one, in whichever form this one runs: TypeScript here, JavaScript once compiled.
  const file = new URL(`./conversion-worker${extname(import.meta.filename)}`, import.meta.url);
  const worker = new Worker(file, {
    name: 'heap-dump',
    workerData: settings,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
  const ended = new Promise<number>((resolve) => worker.once('exit', resolve));
  try {
    for await (const [chunk] of on(worker, 'message', { close: ['exit'], signal })) {
      yield chunk as Uint8Array;
      worker.postMessage('next');
    }
    const exitCode = await ended;
    if (exitCode !== 0) throw new Error(`the conversion ended with ${exitCode}`);
  } finally {
    // Whoever closes the file next must not do so while it is being read.
    await worker.terminate();
  }
}
