import type { Service } from '../kernel/life-cycle.ts';
import { loadMasterKey } from '../kernel/master-key.ts';
import { HttpCaller, type OutboundCall } from '../kernel/outbound/http-caller.ts';
import { systemRandom } from '../kernel/random.ts';
import { SecretBox } from '../kernel/secret-box.ts';
import type { PlatformModuleOptions } from '../platform/options.ts';
import { startPlatformModule } from '../platform/platform-module.ts';
import { pruneHourly } from './features/journals/prune-hourly.ts';
import { firstStart } from './first-start.ts';
import { createManager } from './manager.ts';

export interface ManagerServiceOptions extends PlatformModuleOptions {
  /** Of the administrator that the first start makes; without one it is generated. */
  readonly adminPassword?: string | undefined;
  readonly masterKey?: string | undefined;
}

/** The Manager: the management API of the whole installation. */
export function startManagerService(options: ManagerServiceOptions): Promise<Service> {
  return startPlatformModule('manager', options, async ({ store, clock, log, dataFolder, pods }) => {
    const secretBox = new SecretBox(loadMasterKey({ given: options.masterKey, dataFolder }));
    const caller = new HttpCaller();
    const callPod = (call: OutboundCall) => caller.call(call);
    const manager = createManager({ store, clock, log, pods, callPod, secretBox, random: systemRandom });
    await firstStart(manager.services, {
      adminPassword: options.adminPassword || undefined,
      announce: (line) => process.stdout.write(`${line}\n`),
    });
    const stopping = new AbortController();
    const pruning = pruneHourly(manager.services.journals, { clock, log, signal: stopping.signal });
    const stop = async () => {
      stopping.abort();
      await pruning;
      await caller[Symbol.asyncDispose]();
    };
    return { ...manager, checks: [], stop };
  });
}
