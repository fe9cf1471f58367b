import type { ConnectionHost } from '../delivery/connection-host.ts';
import { labelOf } from '../delivery/connection-state.ts';
import { deliveryEndpoints } from '../delivery/delivery-endpoints.ts';
import { registerDeliveryMetrics } from '../delivery/delivery-metrics.ts';
import { createDeployedDelivery } from '../delivery/deployed-delivery.ts';
import { StoredUnsentRecords } from '../delivery/unsent-records.ts';
import type { ExecutorPool } from '../diagnostics/executor-pools.ts';
import { type Diagnostics, startDiagnostics } from '../diagnostics/start-diagnostics.ts';
import { EngineGrid } from '../grid/engine-grid.ts';
import { type GridOptions, openGridEngine } from '../grid/open-grid-engine.ts';
import type { Endpoint } from '../kernel/catalogue/endpoint.ts';
import type { Service } from '../kernel/life-cycle.ts';
import { createLog } from '../kernel/log.ts';
import { loadMasterKey } from '../kernel/master-key.ts';
import type { HealthCheck } from '../kernel/module/health.ts';
import type { RunningModule } from '../kernel/module/module-service.ts';
import { HttpCaller } from '../kernel/outbound/http-caller.ts';
import { type ProcessPlace, startProcessGroup } from '../kernel/process-group.ts';
import { SecretBox } from '../kernel/secret-box.ts';
import type { Shared } from '../kernel/shared-state.ts';
import { awaitEnvironment } from '../platform/await-environment.ts';
import { CallVerifier, channelKeyOf } from '../platform/channel/call-signature.ts';
import { environmentAccess } from '../platform/environment-access.ts';
import type { EnvironmentModuleOptions } from '../platform/options.ts';
import { type PlatformBase, type RunningPod, startPlatformModule } from '../platform/platform-module.ts';
import { type PodProcess, PodProcesses } from '../platform/pod-processes.ts';
import { internalEndpoints } from './internal.endpoints.ts';
import { otherMetrics } from './process-metrics.ts';
import { relayToFirst } from './relay.ts';

export interface WorkerServiceOptions extends EnvironmentModuleOptions, GridOptions {
  readonly masterKey?: string | undefined;
  readonly processes: number;
  /** Whether connections may lead to public addresses only. */
  readonly refusePrivateTargets: boolean;
}

/** The Worker: the gateway of one environment. */
export function startWorkerService(options: WorkerServiceOptions): Promise<Service> {
  return startProcessGroup({
    count: options.processes,
    log: createLog('worker', options.logLevel),
    createKeepers: () => ({ processes: new PodProcesses() }),
    serve: ({ processes }, place) =>
      startPlatformModule('worker', options, (base) => compose(base, options, place, processes), place),
  });
}

async function compose(
  base: PlatformBase,
  options: WorkerServiceOptions,
  place: ProcessPlace,
  processes: Shared<PodProcesses>,
) {
  const { id, value } = await awaitEnvironment(base, options);
  const environment = { id, name: value.name };
  const grid = new EngineGrid(await openGridEngine(options, { ...base, environmentId: id }));
  const diagnostics = startDiagnostics({
    ...base,
    module: 'worker',
    environment,
    place,
    processes: processes.all,
  });
  showGrid(grid, diagnostics);
  const caller = new HttpCaller();
  const part =
    place.index === 0
      ? deliveringPart(base, options, environment, diagnostics)
      : relayingPart(processes.all, caller);
  return {
    environmentId: id,
    identify: environmentAccess(id),
    endpoints: [...diagnostics.endpoints, ...part.endpoints],
    services: { grid },
    checks: part.checks,
    started: async ({ running }: RunningPod) => {
      running.metrics.addOthers(otherMetrics({ ownIndex: place.index, processes: processes.all, caller }));
      await part.started(running);
      await processes.tell({ index: place.index, processId: process.pid, port: running.ownPort });
    },
    stop: async () => {
      await part.stop();
      await caller.close();
      await diagnostics.stop();
      await grid.close();
    },
  };
}

/** What the processes of a pod do not all do alike. */
interface ProcessPart {
  readonly endpoints: readonly Endpoint<unknown, unknown>[];
  readonly checks: readonly HealthCheck[];
  started(running: RunningModule): Promise<void>;
  stop(): Promise<void>;
}

/** The first process of a pod has its deployments and owns delivery: one queue, breaker and pool for each connection. */
function deliveringPart(
  base: PlatformBase,
  options: WorkerServiceOptions,
  environment: { readonly id: string; readonly name: string },
  diagnostics: Diagnostics,
): ProcessPart {
  const { clock, dataFolder, self } = base;
  const secretBox = new SecretBox(loadMasterKey({ given: options.masterKey, dataFolder }));
  const unsentRecords = new StoredUnsentRecords({ url: options.databaseUrl, dataFolder });
  const delivery = createDeployedDelivery({
    ...base,
    environment,
    podName: () => self().podName,
    secretBox,
    allowsPrivateTargets: !options.refusePrivateTargets,
    unsentRecords,
  });
  const { connections, deployments } = delivery;
  const gate = { verifier: new CallVerifier(channelKeyOf(secretBox), clock), environmentId: environment.id };
  diagnostics.connections.registerPools(() => poolsOf(connections));
  diagnostics.executorPools.register(() => connections.executorPools());
  return {
    endpoints: [
      ...internalEndpoints({ gate, deployments, connections, secretBox }),
      ...deliveryEndpoints(gate, { clock, self, delivery: () => delivery }),
    ],
    checks: [deployments.check],
    started: ({ metrics: { registry } }) => {
      registerDeliveryMetrics(registry, () => delivery);
      return deployments.start();
    },
    stop: async () => {
      await delivery.stop(options.shutdownTimeout);
      await unsentRecords.close();
    },
  };
}

function relayingPart(
  processes: () => Promise<readonly PodProcess[]>,
  caller: Pick<HttpCaller, 'call'>,
): ProcessPart {
  return {
    endpoints: [relayToFirst({ caller, processes })],
    checks: [],
    started: async () => {},
    stop: async () => {},
  };
}

/** Calls to the data grid, where it is not in this process. */
function showGrid(grid: Pick<EngineGrid, 'usage'>, { executorPools, connections }: Diagnostics): void {
  executorPools.register((): Record<string, ExecutorPool> => {
    const usage = grid.usage();
    return usage ? { 'data grid': usage.calls } : {};
  });
  connections.registerPools(() => {
    const usage = grid.usage();
    return usage ? [usage.connections] : [];
  });
}

/** The connections to targets, as diagnostics show them. */
function poolsOf(connections: Pick<ConnectionHost, 'states'>) {
  return connections.states().map((connection) => {
    const { busy, idle, waiting, maxTotal } = connection.state.pool;
    const name = `connection ${labelOf(connection)}`;
    return { name, leased: busy, available: idle, pending: waiting, maxTotal };
  });
}
