import type { OsThread, ThreadState } from './os-threads.ts';
import type { JsThread } from './thread-stacks.ts';
import type { DumpedThread, ThreadKind, WatchedThread } from './thread-watch-protocol.ts';

/** Threads that Node and V8 keep for themselves, by the names they give them. */
const engineNames = /^(?:node-V8Worker|V8Worker|DelayedTaskSche|SignalInspector|node-inspector)/;
const POOL_NAME = 'libuv-worker';
/** As many bytes of a thread's name as the system keeps. */
const NAME_BYTES = 15;

const NO_STACK = '(no JavaScript stack)';
/** Questions to workers go through the main thread. */
const NOT_ASKED = '(could not be asked: the main thread does not answer)';
const WAITING_FOR_EVENTS = '(waits for events)';

export function watchedThread(thread: OsThread): WatchedThread {
  const kind = kindOf(thread);
  return {
    threadName: kind === 'main' ? 'main' : thread.name,
    threadId: thread.id,
    threadState: thread.state,
    kind,
    isIdle: thread.state !== 'RUNNABLE' && thread.waitsIn.startsWith('futex'),
  };
}

function kindOf({ id, name }: OsThread): ThreadKind {
  if (id === process.pid) return 'main';
  if (name === POOL_NAME) return 'pool';
  return engineNames.test(name) ? 'engine' : 'worker';
}

/**
 * Puts the stacks together with the system's threads. Neither side knows the other's numbers, so workers are found by name,
 * and those of one name in the order in which they were started. Where the system tells nothing, only the stacks are left.
 */
export function dumpOf(
  jsThreads: readonly JsThread[],
  osThreads: readonly OsThread[] | undefined,
): DumpedThread[] {
  if (!osThreads) return jsThreads.map((thread) => dumped(thread, undefined));
  const unmatched = new Set(jsThreads.toSorted((a, b) => a.workerId - b.workerId));
  return osThreads
    .toSorted((a, b) => a.id - b.id)
    .map((os) => {
      const kind = kindOf(os);
      const js = [...unmatched].find((one) =>
        kind === 'main' ? one.workerId === 0 : one.workerId > 0 && sameName(one.name, os.name),
      );
      if (!js) return native(os);
      unmatched.delete(js);
      return dumped(js, os);
    })
    .concat([...unmatched].map((thread) => dumped(thread, undefined)));
}

function sameName(full: string, kept: string): boolean {
  return Buffer.from(full).subarray(0, NAME_BYTES).toString() === kept;
}

function native(os: OsThread): DumpedThread {
  const { isIdle: _isIdle, ...thread } = watchedThread(os);
  return { ...thread, stackTrace: [thread.kind === 'worker' ? NOT_ASKED : NO_STACK, ...placeOf(os)] };
}

function dumped(js: JsThread, os: OsThread | undefined): DumpedThread {
  return {
    threadName: js.name,
    threadId: os?.id ?? js.workerId,
    threadState: stateOf(js, os),
    kind: js.workerId === 0 ? 'main' : 'worker',
    stackTrace: stackOf(js, os),
  };
}

/** Who is within JavaScript runs, also when the system saw it wait for the engine's other threads, as in a collection. */
function stateOf({ stackTrace }: JsThread, os: OsThread | undefined): ThreadState {
  const [innermost] = stackTrace ?? [];
  if (innermost !== undefined && !innermost.startsWith('at Atomics.wait ')) return 'RUNNABLE';
  return os?.state ?? 'WAITING';
}

function stackOf({ stackTrace }: JsThread, os: OsThread | undefined): string[] {
  if (!stackTrace) return ['(blocked in native code: it does not answer)', ...placeOf(os)];
  return stackTrace.length === 0 ? [WAITING_FOR_EVENTS, ...placeOf(os)] : [...stackTrace];
}

function placeOf(os: OsThread | undefined): string[] {
  return os?.waitsIn ? [`at kernel ${os.waitsIn}`] : [];
}
