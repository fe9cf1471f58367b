import type { ConnectionPool } from '../connection-registry.ts';
import type { ExecutorPool } from '../executor-pools.ts';
import type { PodIdentity } from '../pod-report.ts';
import type { EventLoopDelay, GarbageCollection } from '../process-probe.ts';

/** What a worker tells of itself, as its readers see it: the part that tests look into. */
export interface WorkerReport extends PodIdentity {
  readonly error?: string;
  readonly jvm: {
    readonly memory: {
      readonly heap: { readonly used: number; readonly committed: number; readonly max: number };
      readonly nonHeap: { readonly used: number };
      readonly spaces: ReadonlyArray<{ readonly name: string }>;
    };
    readonly gc: readonly GarbageCollection[];
    readonly eventLoop: { readonly delay: EventLoopDelay; readonly utilization: number };
    readonly uptime: number;
  };
  readonly threads: {
    readonly summary: {
      readonly threadCount: number;
      readonly daemonThreadCount: number;
      readonly peakThreadCount: number;
      readonly totalStartedThreadCount: number;
    };
    readonly states: Readonly<Record<'RUNNABLE' | 'WAITING' | 'TIMED_WAITING', number>>;
    readonly threads: readonly object[];
    readonly executorPools: Readonly<Record<string, ExecutorPool>>;
  };
  readonly connections: {
    readonly active: number;
    readonly idle: number;
    readonly listeners: ReadonlyArray<{ readonly active: number; readonly idle: number }>;
    readonly pools: readonly ConnectionPool[];
  };
  readonly health: {
    readonly status: string;
    readonly checks: Readonly<Record<string, { readonly status: string; readonly detail?: string }>>;
    readonly system: {
      readonly memory: { readonly total: number; readonly free: number };
      readonly processId: number;
    };
  };
}
