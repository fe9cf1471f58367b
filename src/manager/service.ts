import { deliveryEndpoints } from '../delivery/delivery-endpoints.ts';
import { registerDeliveryMetrics } from '../delivery/delivery-metrics.ts';
import { StoredUnsentRecords } from '../delivery/unsent-records.ts';
import type { Service } from '../kernel/life-cycle.ts';
import { loadMasterKey } from '../kernel/master-key.ts';
import { HttpCaller, type OutboundCall } from '../kernel/outbound/http-caller.ts';
import { systemRandom } from '../kernel/random.ts';
import { SecretBox } from '../kernel/secret-box.ts';
import { logIndexAddress } from '../log-index/log-index-address.ts';
import { CallVerifier, channelKeyOf } from '../platform/channel/call-signature.ts';
import type { PlatformModuleOptions } from '../platform/options.ts';
import { startPlatformModule } from '../platform/platform-module.ts';
import { pruneHourly } from './features/journals/prune-hourly.ts';
import { UnsentTransfer } from './features/unsent/unsent-transfer.ts';
import { firstStart } from './first-start.ts';
import { createManager } from './manager.ts';

export interface ManagerServiceOptions extends PlatformModuleOptions {
  /** Of the administrator that the first start makes; without one it is generated. */
  readonly adminPassword?: string | undefined;
  readonly masterKey?: string | undefined;
  /** The log index that unsent records are transferred to; the embedded one of this machine unless given. */
  readonly logIndexUrl?: string | undefined;
  /** Gives an environment its stream in the log index, where that is the platform's own. */
  readonly makeTrafficLogStream?: ((environment: string) => void) | undefined;
  /** Whether connections may lead to public addresses only. */
  readonly refusePrivateTargets: boolean;
}

const EMBEDDED_INDEX_URL = 'http://127.0.0.1:9200';

/** The Manager: the management API of the whole installation. */
export function startManagerService(options: ManagerServiceOptions): Promise<Service> {
  return startPlatformModule('manager', options, async (base) => {
    const { clock, log, dataFolder, self } = base;
    const secretBox = new SecretBox(loadMasterKey({ given: options.masterKey, dataFolder }));
    const caller = new HttpCaller();
    const callPod = (call: OutboundCall) => caller.call(call);
    const unsentRecords = new StoredUnsentRecords({ url: options.databaseUrl, dataFolder });
    const unsentTransfer = new UnsentTransfer({
      databaseUrl: options.databaseUrl,
      dataFolder,
      index: logIndexAddress(options.logIndexUrl ?? EMBEDDED_INDEX_URL),
      clock,
      log,
    });
    const manager = createManager({
      ...base,
      callPod,
      secretBox,
      random: systemRandom,
      refusePrivateTargets: options.refusePrivateTargets,
      unsentRecords,
      unsentTransfer,
      onEnvironment: options.makeTrafficLogStream,
    });
    const { logDelivery, environments } = manager.services;
    const delivery = () => logDelivery.running;
    // It belongs to no environment, whichever its records go to.
    const gate = { verifier: new CallVerifier(channelKeyOf(secretBox), clock), environmentId: '' };
    await firstStart(manager.services, {
      adminPassword: options.adminPassword || undefined,
      announce: (line) => process.stdout.write(`${line}\n`),
    });
    for (const { value } of await environments.all()) options.makeTrafficLogStream?.(value.name);
    const stopping = new AbortController();
    const pruning = pruneHourly(manager.services.journals, { clock, log, signal: stopping.signal });
    const stop = async () => {
      stopping.abort();
      await pruning;
      await logDelivery.stop(options.shutdownTimeout);
      await unsentTransfer.stop();
      await unsentRecords.close();
      await caller[Symbol.asyncDispose]();
    };
    return {
      ...manager,
      endpoints: [...manager.endpoints, ...deliveryEndpoints(gate, { clock, self, delivery })],
      checks: [],
      started: async ({ podName, running }) => {
        registerDeliveryMetrics(running.metrics.registry, delivery);
        await logDelivery.start(podName);
      },
      stop,
    };
  });
}
