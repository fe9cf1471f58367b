import { on } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

/** What the thread is started with. */
export interface ConversionSettings {
  readonly timeMs: number;
  /** One number that is raised with every chunk of the snapshot, so that the thread can wait for the next one. */
  readonly arrivals: Int32Array<SharedArrayBuffer>;
  /** So many chunks of the file may be under way. */
  readonly window: number;
}

/** A chunk of the snapshot, `null` after the last one; `next` when a chunk of the file was taken. */
export type ToConversion = Uint8Array | null | 'next';

const WINDOW = 8;
/** Columns and strings of the snapshot stand outside of the thread's heap; what stands in it depends on them only little. */
const MAX_HEAP_MB = 512;

/** Makes an HPROF file of a heap snapshot, in a thread of its own. */
export class Conversion implements AsyncDisposable {
  readonly #worker: Worker;
  readonly #arrivals = new Int32Array(new SharedArrayBuffer(4));
  /** Listened to from the beginning, so that no failure goes unheard. */
  readonly #messages: AsyncIterableIterator<unknown[]>;
  readonly #exitCode: Promise<number>;

  constructor(timeMs: number) {
    const settings: ConversionSettings = { timeMs, arrivals: this.#arrivals, window: WINDOW };
    // The file beside this one, in whichever form this one runs: TypeScript here, JavaScript once compiled.
    const file = new URL(`./conversion-worker${extname(import.meta.filename)}`, import.meta.url);
    this.#worker = new Worker(file, {
      name: 'heap-dump',
      workerData: settings,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    this.#messages = on(this.#worker, 'message', { close: ['exit'] }) as AsyncIterableIterator<unknown[]>;
    this.#exitCode = new Promise((resolve) => this.#worker.once('exit', resolve));
  }

  /** Takes over the next bytes of the snapshot. */
  push(chunk: Uint8Array<ArrayBuffer>): void {
    this.#send(chunk, [chunk.buffer]);
  }

  /** There is no more of the snapshot. */
  end(): void {
    this.#send(null, []);
  }

  /** The file, made no faster than it is taken. */
  async *chunks(signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
    const onAbort = () => void this.#worker.terminate();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      for await (const [chunk] of this.#messages) {
        yield chunk as Uint8Array;
        signal.throwIfAborted();
        this.#worker.postMessage('next' satisfies ToConversion);
      }
      const exitCode = await this.#exitCode;
      signal.throwIfAborted();
      if (exitCode !== 0) throw new Error(`the conversion ended with ${exitCode}`);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Whatever it was doing, it ends. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate();
  }

  #send(message: ToConversion, transfer: ArrayBuffer[]): void {
    this.#worker.postMessage(message, transfer);
    Atomics.add(this.#arrivals, 0, 1);
    Atomics.notify(this.#arrivals, 0);
  }
}
