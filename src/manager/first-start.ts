import { Fault } from '../kernel/faults.ts';
import { UsageError } from '../kernel/options.ts';
import { firstEnvironments } from '../model/environment.ts';
import { type Installation, installationCollection } from '../model/installation.ts';
import { ADMINISTRATOR_ROLE } from '../model/role.ts';
import { type Collection, DuplicateKey, type Stored } from '../store/contract.ts';
import type { ManagerServices } from './services.ts';

export interface FirstStartOptions {
  /** Generated unless given. */
  readonly adminPassword: string | undefined;
  /** Where a generated password is told, once. */
  readonly announce: (line: string) => void;
}

const ADMINISTRATOR = 'admin';
const DEFAULT_PROJECT = 'Default';
/** 144 bits. */
const GENERATED_BYTES = 18;
const CLAIM_MS = 30_000;
const WAIT_MS = 100;

/**
 * Gives a new installation what it cannot be used without. Of several processes that start at once one does it and the
 * others wait; what a process left undone that died on the way, the next one does.
 */
export async function firstStart(services: ManagerServices, options: FirstStartOptions): Promise<void> {
  const { store, clock } = services;
  const installations = store.collection<Installation>(installationCollection);
  for (;;) {
    const claim = await claimInstallation(installations, clock.now());
    if (claim === 'made') return;
    if (claim !== 'claimed-by-another') {
      const { id } = claim;
      try {
        await make(services, options);
      } catch (error) {
        await installations.change({ id }, { set: { claimedUntil: 0 } });
        throw error;
      }
      await installations.change({ id }, { set: { isMade: true } });
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
  refuseBadPassword(options.adminPassword);
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

/** One whose password nobody may have heard, because the process died before it could tell, gets a new one. */
async function makeAdministrator(
  { users, random }: ManagerServices,
  { adminPassword, announce }: FirstStartOptions,
): Promise<void> {
  const password = adminPassword ?? random.bytes(GENERATED_BYTES).toString('base64url');
  if (await users.find(ADMINISTRATOR)) await users.setPassword(ADMINISTRATOR, password);
  else {
    await users.create({
      name: ADMINISTRATOR,
      password,
      fullName: 'Administrator',
      email: '',
      enabled: true,
      roles: [{ role: ADMINISTRATOR_ROLE }],
    });
  }
  if (adminPassword !== undefined) return;
  announce(`administrator ${ADMINISTRATOR}, password ${password}`);
  announce('This password was generated now and is shown this once: keep it, or change it after signing in.');
}

/** Before anything is written: what nobody could sign in with, or anybody could guess, is a mistake in the settings. */
function refuseBadPassword(password: string | undefined): void {
  if (password === undefined || (password.length >= 8 && password.length <= 256)) return;
  throw new UsageError('GATEHOUSE_ADMIN_PASSWORD must have 8 to 256 characters');
}
