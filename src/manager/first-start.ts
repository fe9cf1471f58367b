import { Fault } from '../kernel/faults.ts';
import { firstEnvironments } from '../model/environment.ts';
import { type Collection, DuplicateKey, type Stored } from '../store/contract.ts';
import type { ManagerServices } from './services.ts';

export interface FirstStartOptions {
  /** Generated unless given. */
  readonly adminPassword: string | undefined;
  /** Where a generated password is told, once. */
  readonly announce: (line: string) => void;
}

/** One installation has one of these: who is making it, and whether it is made. */
interface Installation {
  readonly name: 'installation';
  readonly isMade: boolean;
  readonly claimedUntil: number;
}

export const ADMINISTRATOR = 'admin';
const DEFAULT_PROJECT = 'Default';
const CLAIM_MS = 30_000;
const WAIT_MS = 100;

/**
 * Gives a new installation what it cannot be used without. Of several processes that start at once one does it and the
 * others wait; what a process left undone that died on the way, the next one does.
 */
export async function firstStart(services: ManagerServices, options: FirstStartOptions): Promise<void> {
  const { store, clock } = services;
  const installations = store.collection<Installation>({
    name: 'installations',
    unique: [['name']],
    indexed: [],
  });
  for (;;) {
    const claim = await claimInstallation(installations, clock.now());
    if (claim === 'made') return;
    if (claim !== 'claimed-by-another') {
      await make(services, options);
      await installations.change({ id: claim.id }, { set: { isMade: true } });
      return;
    }
    await clock.sleep(WAIT_MS);
  }
}

async function claimInstallation(
  installations: Collection<Installation>,
  now: number,
): Promise<Stored<Installation> | 'made' | 'claimed-by-another'> {
  const claimedUntil = now + CLAIM_MS;
  const found = await installations.findOne({ name: 'installation' });
  if (found?.value.isMade) return 'made';
  try {
    const claimed = found
      ? await installations.change(
          { id: found.id, isMade: false, claimedUntil: { below: now } },
          { set: { claimedUntil } },
        )
      : await installations.insert({ name: 'installation', isMade: false, claimedUntil });
    return claimed ?? 'claimed-by-another';
  } catch (error) {
    if (error instanceof DuplicateKey) return 'claimed-by-another';
    throw error;
  }
}

/** Every step may find its work done already. */
async function make(services: ManagerServices, options: FirstStartOptions): Promise<void> {
  const { environments, projects } = services;
  for (const environment of firstEnvironments)
    await unlessThere('environment.exists', () => environments.create(environment));
  await unlessThere('project.exists', () =>
    projects.create({ name: DEFAULT_PROJECT, description: '', relativePath: '', tags: [] }),
  );
  await makeAdministrator(services, options);
}

async function unlessThere(taken: string, make: () => Promise<unknown>): Promise<void> {
  try {
    await make();
  } catch (error) {
    if (!(error instanceof Fault && error.key === taken)) throw error;
  }
}

async function makeAdministrator(_services: ManagerServices, _options: FirstStartOptions): Promise<void> {}
