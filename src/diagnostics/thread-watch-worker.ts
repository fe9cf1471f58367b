import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, threadId, workerData } from 'node:worker_threads';
import { dumpOf, watchedThread } from './named-threads.ts';
import { osThreadIds, osThreads } from './os-threads.ts';
import { sampleAllocations, sampleCpu } from './profiling.ts';
import { type JsThread, mainStack, stacksOfThreads } from './thread-stacks.ts';
import type {
  FromWatch,
  ThreadOverview,
  ToWatch,
  WatchAnswers,
  WatchQuestion,
  WatchSettings,
} from './thread-watch-protocol.ts';

/** The thread of a ThreadWatch: it looks at the others from outside, so that it sees them also while they are busy. */

const STACK_DEADLINE_MS = 500;
const COUNT_EVERY_MS = 1000;
/** Time for the main thread to be done with asking: a dump that shows nothing but its own request tells nothing. */
const SETTLE_MS = 5;

const { ticks, checkEveryMs, askAfterMs } = workerData as WatchSettings;
const running = new Map<number, AbortController>();

parentPort?.on('message', (message: ToWatch) => {
  if (message.type === 'abort') running.get(message.id)?.abort();
  else void answer(message.id, message.question);
});

async function answer(id: number, question: WatchQuestion): Promise<void> {
  const aborting = new AbortController();
  running.set(id, aborting);
  try {
    const value = await answerTo(question, aborting.signal);
    const transfer = value instanceof Uint8Array ? [value.buffer as ArrayBuffer] : [];
    parentPort?.postMessage({ type: 'answer', id, value } satisfies FromWatch, transfer);
  } catch (error) {
    const { message } = error as Error;
    parentPort?.postMessage({ type: 'failure', id, message } satisfies FromWatch);
  } finally {
    running.delete(id);
  }
}

async function answerTo(
  question: WatchQuestion,
  signal: AbortSignal,
): Promise<WatchAnswers[keyof WatchAnswers]> {
  switch (question.ask) {
    case 'threads':
      return overview();
    case 'dump':
      return dump();
    case 'cpu-profile':
      return sampleCpu(question.durationMs, signal);
    case 'allocations':
      return sampleAllocations(question.durationMs, signal);
  }
}

// Who came and went, counted now and then.
let known = new Set<number>();
let peakThreadCount = 0;
let totalStartedThreadCount = 0;

function count(): void {
  const ids = osThreadIds();
  if (!ids) return;
  totalStartedThreadCount += ids.filter((id) => !known.has(id)).length;
  peakThreadCount = Math.max(peakThreadCount, ids.length);
  known = new Set(ids);
}

async function overview(): Promise<ThreadOverview> {
  count();
  const threads = osThreads()?.map(watchedThread);
  if (threads) return { threads, peakThreadCount, totalStartedThreadCount };
  // Without help from the system only the threads that run JavaScript are known.
  const dumped = (await dump()).map(({ stackTrace: _stackTrace, ...thread }) => ({
    ...thread,
    isIdle: false,
  }));
  peakThreadCount = Math.max(peakThreadCount, dumped.length);
  totalStartedThreadCount = Math.max(totalStartedThreadCount, dumped.length);
  return { threads: dumped, peakThreadCount, totalStartedThreadCount };
}

async function dump() {
  await sleep(SETTLE_MS);
  // Looked at before anybody is disturbed by being asked.
  const seen = osThreads();
  const own: JsThread = { workerId: threadId, name: 'diagnostics', stackTrace: ['(takes this dump)'] };
  return dumpOf([own, ...(await stacksOfThreads(threadId, STACK_DEADLINE_MS))], seen);
}

// The main thread's ticks.
let lastTick = Atomics.load(ticks, 0);
let lastChangeMs = performance.now();
let hasAsked = false;

async function check(): Promise<void> {
  const tick = Atomics.load(ticks, 0);
  const now = performance.now();
  if (tick !== lastTick) {
    lastTick = tick;
    lastChangeMs = now;
    hasAsked = false;
    return;
  }
  if (hasAsked || now - lastChangeMs < askAfterMs) return;
  hasAsked = true;
  const stackTrace = await mainStack(STACK_DEADLINE_MS);
  // It may have come to itself while it was asked; then the stack is not the one that was wanted.
  if (Atomics.load(ticks, 0) !== tick || stackTrace?.length === 0) return;
  const shown = stackTrace ? [...stackTrace] : ['(blocked in native code: it does not answer)'];
  parentPort?.postMessage({ type: 'stalled', tick, stackTrace: shown } satisfies FromWatch);
}

count();
setInterval(count, COUNT_EVERY_MS).unref();
setInterval(check, checkEveryMs).unref();
