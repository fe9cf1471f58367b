import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { type Clock, systemClock } from '../kernel/clock.ts';
import type { Service } from '../kernel/life-cycle.ts';
import { createLog, type Log } from '../kernel/log.ts';
import { type ModuleOptions, type RunningModule, startModule } from '../kernel/module/module-service.ts';
import { UsageError } from '../kernel/options.ts';
import type { ProcessPlace } from '../kernel/process-group.ts';
import type { Store } from '../store/contract.ts';
import { openStore } from '../store/open-store.ts';
import { type PodDescription, PodRegistry } from '../store/pods.ts';
import type { PlatformModuleOptions } from './options.ts';
import { podAddress } from './pod-address.ts';
import { registerPod } from './pod-registration.ts';
import { asStoreFault } from './store-faults.ts';

/** What every module of the platform stands on. */
export interface PlatformBase {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly dataFolder: string;
  /** Who else is alive. */
  readonly pods: PodRegistry;
  /** The module as it runs and as the others find it. There is none while it is still being put together. */
  readonly self: () => RunningPod;
}

export interface RunningPod extends PodDescription {
  readonly module: string;
  readonly running: RunningModule;
}

/** What makes a module this module. */
export interface Composition<Services, Caller>
  extends Omit<
    ModuleOptions<Services, Caller>,
    'module' | 'host' | 'port' | 'clock' | 'log' | 'shutdownTimeoutMs' | 'translate'
  > {
  /** The environment the pod belongs to; absent for modules that serve all of them. */
  readonly environmentId?: string;
  /** Begins what needs to know the pod; it answers already, but nobody is told of it before this is done. */
  started?(pod: RunningPod): Promise<void>;
  /** Ends what the module itself started. Requests are over by then, the database is still there. */
  stop?(): Promise<void>;
}

export type Compose<Services, Caller> = (
  base: PlatformBase,
) => Composition<Services, Caller> | Promise<Composition<Services, Caller>>;

/**
 * Opens the database, puts the module together, serves it and keeps its pod registered. Whatever fails on the way, and
 * `stop`, undoes all of it in reverse order.
 */
export async function startPlatformModule<Services, Caller>(
  module: string,
  options: PlatformModuleOptions,
  compose: Compose<Services, Caller>,
  place: ProcessPlace = { index: 0, count: 1 },
): Promise<Service> {
  const { host, port, databaseUrl, logLevel, shutdownTimeout } = options;
  const log = createLog(module, logLevel);
  const clock = systemClock;
  const dataFolder = resolve(options.data);
  refuseOtherDatabases(databaseUrl);
  const opened = new AsyncDisposableStack();
  try {
    const store = await openStore({ ...(databaseUrl && { url: databaseUrl }), dataFolder, clock });
    opened.defer(() => store.close());
    const pods = new PodRegistry(store, clock, podTimes(options.podExpiry));
    let pod: RunningPod | undefined;
    const self = () => {
      if (!pod) throw new Error('the module does not run yet');
      return pod;
    };
    const composed = await compose({ store, clock, log, dataFolder, pods, self });
    const { stop, started, environmentId, ...composition } = composed;
    if (stop) opened.defer(stop);
    const database = { name: 'database', run: () => store.ping() };
    const running: RunningModule = await startModule({
      ...composition,
      module,
      host,
      port,
      isOneOfSeveral: place.count > 1,
      checks: [database, ...composition.checks],
      translate: asStoreFault,
      shutdownTimeoutMs: shutdownTimeout,
      clock,
      log,
    });
    opened.defer(running.stop);
    const description: PodDescription = {
      podName: options.podName ?? `${module}-${hostname()}-${running.port}`,
      module,
      ...(environmentId !== undefined && { environmentId }),
      address: podAddress(host, running.port),
      processId: process.pid,
    };
    pod = { ...description, running };
    await started?.(pod);
    // However many processes it has, it is one pod.
    if (place.index === 0) opened.defer(await registerPod(pods, description, log));
    return { module, url: running.url, stop: () => opened.disposeAsync() };
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

const SHORTEST_EXPIRY_MS = 1000;

/** Two heartbeats may get lost before a pod counts as gone. */
function podTimes(expiryMs: number | undefined) {
  if (expiryMs === undefined) return {};
  if (expiryMs < SHORTEST_EXPIRY_MS) throw new UsageError('the expiry of pods must be at least 1s');
  return { expiryMs, heartbeatMs: Math.floor(expiryMs / 3) };
}

/** The address itself is not repeated: it may hold a password. */
function refuseOtherDatabases(url: string | undefined): void {
  if (url === undefined || /^mongodb(\+srv)?:\/\//.test(url)) return;
  throw new UsageError('the database URL must begin with mongodb:// or mongodb+srv://');
}
