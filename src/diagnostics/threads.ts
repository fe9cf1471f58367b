import { Type } from 'typebox';
import { type Diagnostic, type DiagnosticSources, everyModule } from './diagnostic.ts';
import type { ExecutorPool } from './executor-pools.ts';
import { summed } from './sums.ts';
import type { ThreadOverview } from './thread-watch-protocol.ts';

export const threadStateSchema = Type.Union([
  Type.Literal('RUNNABLE'),
  Type.Literal('WAITING'),
  Type.Literal('TIMED_WAITING'),
]);
export const threadKindSchema = Type.Union(
  [Type.Literal('main'), Type.Literal('worker'), Type.Literal('pool'), Type.Literal('engine')],
  {
    description: 'The main thread, a worker thread, a thread of the libuv pool, or one of the engine itself.',
  },
);
const Count = Type.Integer();

export const threads: Diagnostic = {
  name: 'threads',
  key: 'threads',
  modules: everyModule,
  summary: 'Number and states of threads, use of executors and queues.',
  content: Type.Object({
    summary: Type.Object({
      threadCount: Count,
      peakThreadCount: Count,
      daemonThreadCount: Type.Integer({ description: 'All but the main thread: they end with it.' }),
      totalStartedThreadCount: Count,
    }),
    states: Type.Object({ RUNNABLE: Count, WAITING: Count, TIMED_WAITING: Count }),
    threads: Type.Array(
      Type.Object({
        threadName: Type.String(),
        threadId: Type.Integer(),
        threadState: threadStateSchema,
        kind: threadKindSchema,
      }),
    ),
    executorPools: Type.Record(
      Type.String(),
      Type.Object({ poolSize: Count, activeCount: Count, queueSize: Count, rejectedTaskCount: Count }),
    ),
  }),
  collect: threadsContent,
  combine: (contents: readonly ThreadsContent[]) => ({
    ...summed(contents),
    threads: contents.flatMap(({ threads }) => threads),
  }),
};

type ThreadsContent = Awaited<ReturnType<typeof threadsContent>>;

async function threadsContent({ threads: watch, executorPools }: DiagnosticSources) {
  const overview = await watch.ask({ ask: 'threads' });
  const states = { RUNNABLE: 0, WAITING: 0, TIMED_WAITING: 0 };
  for (const { threadState } of overview.threads) states[threadState]++;
  return {
    summary: {
      threadCount: overview.threads.length,
      peakThreadCount: overview.peakThreadCount,
      daemonThreadCount: overview.threads.filter(({ kind }) => kind !== 'main').length,
      totalStartedThreadCount: overview.totalStartedThreadCount,
    },
    states,
    threads: overview.threads.map(({ isIdle: _isIdle, ...thread }) => thread),
    executorPools: { libuv: libuvPool(overview), ...executorPools.all() },
  };
}

/** Requests that Node tells about and that the pool works off; what zlib and crypto wait for it keeps to itself. */
const POOL_REQUESTS = /^(?:FSReq|GetAddrInfoReq|GetNameInfoReq)/;
const DEFAULT_POOL_SIZE = 4;

/** The threads behind file access, name lookups, compression and cryptography. They start with the first task. */
function libuvPool({ threads }: ThreadOverview): ExecutorPool {
  const members = threads.filter(({ kind }) => kind === 'pool');
  const poolSize = members.length || Number(process.env.UV_THREADPOOL_SIZE) || DEFAULT_POOL_SIZE;
  const requests = process.getActiveResourcesInfo().filter((name) => POOL_REQUESTS.test(name)).length;
  return {
    poolSize,
    activeCount: members.filter(({ isIdle }) => !isIdle).length,
    queueSize: Math.max(0, requests - poolSize),
    // Its queue has no bound.
    rejectedTaskCount: 0,
  };
}
