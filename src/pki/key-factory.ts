// Many keys at once, off the main thread: the service answers while the slow ones (RSA 3072 and 4096) are being made.
//   makeKeys(wanted, options)  name → key pair; `onKey` hears of each as it is ready, `signal` ends the work

import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { KeyKind, KeyPair } from './keys.ts';

export interface MadeKey {
  readonly name: string;
  readonly kind: KeyKind;
  readonly keys: KeyPair;
  /** How many of the wanted keys there are now, this one included. */
  readonly done: number;
  readonly total: number;
}

export interface KeyFactoryOptions {
  /** As many as there are cores when not given. */
  readonly threads?: number;
  /** The work ends with the signal's reason. A thread within a key first finishes that one, then ends. */
  readonly signal?: AbortSignal;
  readonly onKey?: (made: MadeKey) => void;
}

type Order = readonly [name: string, kind: KeyKind];

/** About how long a key takes beside the others; the slow ones start first, so that none is left alone at the end. */
const costs: Partial<Record<KeyKind, number>> = {
  'rsa-4096': 100,
  'rsa-3072': 40,
  dsa: 25,
  'rsa-2048': 10,
  'rsa-1024': 2,
};

export async function makeKeys(
  wanted: Iterable<Order>,
  options: KeyFactoryOptions = {},
): Promise<Map<string, KeyPair>> {
  const { threads = availableParallelism(), signal, onKey } = options;
  signal?.throwIfAborted();
  const orders = Array.from(wanted).sort(([, a], [, b]) => (costs[b] ?? 0) - (costs[a] ?? 0));
  const total = orders.length;
  const made = new Map<string, KeyPair>();
  const queue = orders.values();
  const workers = Array.from({ length: Math.min(threads, total) }, startWorker);
  const work = workers.map((worker) =>
    workThrough(worker, queue, ([name, kind], keys) => {
      made.set(name, keys);
      onKey?.({ name, kind, keys, done: made.size, total });
    }),
  );
  try {
    await (signal ? Promise.race([Promise.all(work), abortOf(signal)]) : Promise.all(work));
    return made;
  } finally {
    // Whoever lost the race has nothing left to say.
    for (const worker of workers) void worker.terminate();
  }
}

/** The file beside this one, in whichever form this one runs: TypeScript here, JavaScript once compiled. */
function startWorker(): Worker {
  return new Worker(new URL(`./key-worker${extname(import.meta.filename)}`, import.meta.url));
}

/** All workers draw from one queue until it is empty. */
async function workThrough(
  worker: Worker,
  queue: Iterator<Order>,
  onMade: (order: Order, keys: KeyPair) => void,
): Promise<void> {
  for (let next = queue.next(); !next.done; next = queue.next()) {
    onMade(next.value, await keysFrom(worker, next.value[1]));
  }
}

async function keysFrom(worker: Worker, kind: KeyKind): Promise<KeyPair> {
  // `once` of node:events rejects when the worker fails before it answers.
  const answer = once(worker, 'message');
  worker.postMessage(kind);
  const [keys] = await answer;
  return keys;
}

function abortOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
