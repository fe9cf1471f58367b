import { UsageError } from '../kernel/options.ts';
import { type Installation, installationCollection } from '../model/installation.ts';
import type { Store } from '../store/contract.ts';
import { findEnvironment } from './find-environment.ts';
import type { EnvironmentModuleOptions } from './options.ts';
import type { PlatformBase } from './platform-module.ts';

const RETRY_MS = 500;

/**
 * The environment a pod belongs to. Pods of a new installation start in any order, so one that comes before the
 * first start of a Manager waits for it. Once the platform is made, an unknown environment is a mistake and told at once.
 */
export async function awaitEnvironment(
  { store, clock, log }: Pick<PlatformBase, 'store' | 'clock' | 'log'>,
  {
    environment,
    environmentWait: waitMs = 0,
  }: Pick<EnvironmentModuleOptions, 'environment' | 'environmentWait'>,
) {
  const beganAt = clock.now();
  for (let isFirst = true; ; isFirst = false) {
    // Asked before the look: what was made in between is then found, and never missed for good.
    const mayStillCome = clock.now() - beganAt < waitMs && !(await isMade(store));
    try {
      return await findEnvironment(store, environment);
    } catch (error) {
      if (!mayStillCome || !(error instanceof UsageError)) throw error;
    }
    if (isFirst) log.warn({ event: 'environment.awaited', environment, waitMs });
    await clock.sleep(RETRY_MS);
  }
}

async function isMade(store: Store): Promise<boolean> {
  const installations = store.collection<Installation>(installationCollection);
  return (await installations.findOne({ name: 'installation' }))?.value.isMade ?? false;
}
