import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type {
  FromWatch,
  ToWatch,
  WatchAnswers,
  WatchQuestion,
  WatchSettings,
} from './thread-watch-protocol.ts';

export interface ThreadWatchOptions {
  readonly ticks: Int32Array<SharedArrayBuffer>;
  readonly onStalled: (tick: number, stackTrace: readonly string[]) => void;
}

interface Waiting {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

const CHECK_EVERY_MS = 100;
const ASK_AFTER_MS = 300;

/**
 * A thread beside the main one that can look at it, and at every other, also while they are busy. It starts with the first
 * question or with `start`, and anew should it ever end.
 */
export class ThreadWatch {
  readonly #options: ThreadWatchOptions;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #lastId = 0;

  constructor(options: ThreadWatchOptions) {
    this.#options = options;
  }

  start(): Worker {
    this.#worker ??= this.#startWorker();
    return this.#worker;
  }

  async stop(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
    this.#failAll(new Error('the diagnostics have stopped'));
  }

  /** Rejects with the signal's reason as soon as it aborts; the thread gives up the work then. */
  ask<Ask extends WatchQuestion['ask']>(
    question: Extract<WatchQuestion, { ask: Ask }>,
    signal?: AbortSignal,
  ): Promise<WatchAnswers[Ask]> {
    signal?.throwIfAborted();
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<WatchAnswers[Ask]>();
    const onAbort = () => {
      this.#send({ type: 'abort', id });
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#waiting.set(id, { resolve, reject });
    this.start();
    this.#send({ type: 'question', id, question });
    return promise.finally(() => {
      signal?.removeEventListener('abort', onAbort);
      this.#waiting.delete(id);
    });
  }

  #startWorker(): Worker {
    const settings: WatchSettings = {
      ticks: this.#options.ticks,
      checkEveryMs: CHECK_EVERY_MS,
      askAfterMs: ASK_AFTER_MS,
    };
    // The file beside this one, in whichever form this one runs: TypeScript here, JavaScript once compiled.
    const file = new URL(`./thread-watch-worker${extname(import.meta.filename)}`, import.meta.url);
    const worker = new Worker(file, {
      name: 'diagnostics',
      workerData: settings,
      // A profile of a minute has some megabytes of JSON; beyond that the thread needs next to nothing.
      resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 4 },
    });
    const onEnded = (error: Error) => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      this.#failAll(error);
    };
    worker.on('message', (message: FromWatch) => this.#take(message));
    worker.on('error', onEnded);
    worker.on('exit', () => onEnded(new Error('the thread of the diagnostics ended')));
    // It must not keep a process alive that has nothing else to do.
    worker.unref();
    return worker;
  }

  #take(message: FromWatch): void {
    if (message.type === 'stalled') {
      this.#options.onStalled(message.tick, message.stackTrace);
      return;
    }
    const caller = this.#waiting.get(message.id);
    if (message.type === 'answer') caller?.resolve(message.value as never);
    else caller?.reject(new Error(message.message));
  }

  #send(message: ToWatch): void {
    this.#worker?.postMessage(message);
  }

  #failAll(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
  }
}
