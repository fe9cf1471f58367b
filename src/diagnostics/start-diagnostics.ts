import type { Endpoint } from '../kernel/catalogue/endpoint.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { HttpCaller } from '../kernel/outbound/http-caller.ts';
import type { ProcessPlace } from '../kernel/process-group.ts';
import { version } from '../kernel/version.ts';
import type { RunningPod } from '../platform/platform-module.ts';
import type { PodProcess } from '../platform/pod-processes.ts';
import type { Store } from '../store/contract.ts';
import type { PodRegistry } from '../store/pods.ts';
import { createBroadcast } from './broadcast.ts';
import { ConnectionRegistry } from './connection-registry.ts';
import type { DiagnosedModule, DiagnosticSources } from './diagnostic.ts';
import { diagnosticsEndpoints } from './diagnostics.endpoints.ts';
import { ExecutorPools } from './executor-pools.ts';
import { heapDumpEndpoint } from './heap-dump.endpoint.ts';
import { heapDumpJournal } from './heap-dump-journal.ts';
import { type PodIdentity, podReport } from './pod-report.ts';
import { ProcessProbe } from './process-probe.ts';
import { createProcessRelay } from './process-relay.ts';
import { createProcessReports } from './process-reports.ts';
import { profilingEndpoints } from './profiling.endpoints.ts';
import { createReportCall, ipOf } from './report-call.ts';
import { StallLog } from './stall-log.ts';
import { ThreadWatch } from './thread-watch.ts';

export interface DiagnosticsOptions {
  readonly module: DiagnosedModule;
  readonly environment: { readonly id: string; readonly name: string };
  readonly pods: Pick<PodRegistry, 'live'>;
  /** Only asked once the module runs. */
  readonly self: () => Pick<RunningPod, 'podName' | 'address' | 'running'>;
  /** Of a pod of several processes: which one this is, and where the others are. */
  readonly place?: ProcessPlace;
  readonly processes?: () => Promise<readonly PodProcess[]>;
  /** What the data grid says of itself; the Cache has one. */
  readonly dataGrid?: () => Promise<unknown>;
  /** Its message journal tells operators who took a heap dump. */
  readonly store?: Store;
  readonly clock: Clock;
  readonly log: Log;
}

/** The diagnostics of a running pod. */
export interface Diagnostics {
  /** They need `environmentAccess` as the module's `identify`. */
  readonly endpoints: readonly Endpoint<unknown, unknown>[];
  /** Parts with executors or queues register them here. */
  readonly executorPools: ExecutorPools;
  /** Parts with connections to others register their pools here. */
  readonly connections: ConnectionRegistry;
  stop(): Promise<void>;
}

export function startDiagnostics(options: DiagnosticsOptions): Diagnostics {
  const { module, environment, pods, self, clock, log } = options;
  const { place = { index: 0, count: 1 }, processes = async () => [] } = options;
  const probe = new ProcessProbe();
  const stalls = new StallLog({ clock, log });
  const threads = new ThreadWatch({
    ticks: stalls.ticks,
    onStalled: (tick, stackTrace) => stalls.explain(tick, stackTrace),
  });
  const caller = new HttpCaller();
  const ask = createReportCall({ environmentId: environment.id, call: (call) => caller.call(call) });
  const relay = createProcessRelay({ place, processes, ownPort: () => self().running.ownPort });
  const executorPools = new ExecutorPools();
  const connections = new ConnectionRegistry();
  connections.registerListener(module, () => self().running.connectionUsage());

  const { store } = options;
  const journal = store
    ? heapDumpJournal({ store, source: module, environmentName: environment.name, clock, log })
    : async () => {};

  const sources: DiagnosticSources = {
    probe,
    threads,
    executorPools,
    connections,
    health: () => self().running.health.report(),
    dataGrid: options.dataGrid ?? (() => Promise.reject(new Error(`${module} has no data grid`))),
    secrets: [environment.id],
  };
  const identity = (): PodIdentity => {
    const { podName, address } = self();
    return { podName, podIp: ipOf(address), envName: environment.name, version };
  };

  probe.start();
  stalls.start();
  threads.start();
  return {
    endpoints: [
      ...diagnosticsEndpoints({
        module,
        reports: createProcessReports({
          place,
          processes,
          own: (chosen) => podReport(identity(), chosen, sources, log),
          ask,
        }),
        podName: () => self().podName,
        broadcast: createBroadcast({ module, environmentId: environment.id, pods, ask }),
      }),
      ...profilingEndpoints({ module, identity, threads, stalls, relay, log }),
      heapDumpEndpoint({
        module,
        podName: () => self().podName,
        relay,
        journal,
        log,
      }),
    ],
    executorPools,
    connections,
    stop: async () => {
      probe.stop();
      stalls.stop();
      await Promise.all([threads.stop(), relay.stop(), caller[Symbol.asyncDispose]()]);
    },
  };
}
