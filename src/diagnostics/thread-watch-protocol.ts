import type { ThreadState } from './os-threads.ts';

/** What the main thread asks the watching thread for. */
export type WatchQuestion =
  | { readonly ask: 'threads' }
  | { readonly ask: 'dump' }
  | { readonly ask: 'cpu-profile'; readonly durationMs: number }
  | { readonly ask: 'allocations'; readonly durationMs: number };

export interface WatchAnswers {
  threads: ThreadOverview;
  dump: DumpedThread[];
  'cpu-profile': Uint8Array;
  allocations: Uint8Array;
}

export type ToWatch =
  | { readonly type: 'question'; readonly id: number; readonly question: WatchQuestion }
  | { readonly type: 'abort'; readonly id: number };

export type FromWatch =
  | { readonly type: 'answer'; readonly id: number; readonly value: WatchAnswers[keyof WatchAnswers] }
  | { readonly type: 'failure'; readonly id: number; readonly message: string }
  /** What the main thread was doing when it had not ticked for a while. */
  | { readonly type: 'stalled'; readonly tick: number; readonly stackTrace: string[] };

export type ThreadKind = 'main' | 'worker' | 'pool' | 'engine';

export interface ThreadOverview {
  readonly threads: readonly WatchedThread[];
  readonly peakThreadCount: number;
  readonly totalStartedThreadCount: number;
}

export interface WatchedThread {
  readonly threadName: string;
  readonly threadId: number;
  readonly threadState: ThreadState;
  readonly kind: ThreadKind;
  /** Of a thread of the pool: whether it has work. */
  readonly isIdle: boolean;
}

export interface DumpedThread extends Omit<WatchedThread, 'isIdle'> {
  readonly stackTrace: string[];
}

/** What the worker thread is started with. */
export interface WatchSettings {
  /** One number that the main thread raises with every tick. */
  readonly ticks: Int32Array<SharedArrayBuffer>;
  readonly checkEveryMs: number;
  /** A main thread that has not ticked for so long is asked what it is doing. */
  readonly askAfterMs: number;
}
