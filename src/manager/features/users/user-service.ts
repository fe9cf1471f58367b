import type { Clock } from '../../../kernel/clock.ts';
import { Fault, fault } from '../../../kernel/faults.ts';
import { ADMINISTRATOR_ROLE } from '../../../model/role.ts';
import {
  FOREVER,
  type NewUserInput,
  type RoleAssignment,
  type User,
  type UserInput,
} from '../../../model/user.ts';
import type { Collection, ListQuery, Store, Stored } from '../../../store/contract.ts';
import { type Changed, type DocumentPage, NamedDocuments } from '../../resources/named-documents.ts';
import { checkedName, refuseRename } from '../../resources/names.ts';
import type { Turns } from '../../resources/turns.ts';
import type { Passwords } from '../../security/passwords.ts';

export interface UserServiceOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly passwords: Passwords;
  readonly turns: Turns;
}

const ADMINISTRATORS = 'administrators';
const SCAN_SIZE = 1000;

/** Accounts, and the rule that one administrator can always sign in. */
export class UserService {
  readonly #collection: Collection<User>;
  readonly #documents: NamedDocuments<User>;
  readonly #clock: Clock;
  readonly #passwords: Passwords;
  readonly #turns: Turns;

  constructor({ store, clock, passwords, turns }: UserServiceOptions) {
    this.#collection = store.collection<User>({
      name: 'users',
      unique: [['name']],
      indexed: [['isAdministrator']],
    });
    this.#documents = new NamedDocuments(this.#collection, {
      notFound: (name) => fault('user.not-found', { id: name }),
      exists: (name) => fault('user.exists', { id: name }),
    });
    this.#clock = clock;
    this.#passwords = passwords;
    this.#turns = turns;
  }

  page(query: ListQuery<User>): Promise<DocumentPage<User>> {
    return this.#documents.page(query);
  }

  get(id: string): Promise<Stored<User> | undefined> {
    return this.#collection.get(id);
  }

  find(name: string): Promise<Stored<User> | undefined> {
    return this.#documents.find(name);
  }

  require(name: string): Promise<Stored<User>> {
    return this.#documents.require(name);
  }

  async create({ name, password, enabled, ...rest }: NewUserInput): Promise<Stored<User>> {
    const user = {
      name: checkedName(name),
      ...rest,
      isEnabled: enabled,
      passwordHash: await this.#passwords.hash(password),
      edition: 1,
      createdAt: this.#clock.now(),
      failedSignIns: 0,
    };
    return this.#documents.create(withMark(user));
  }

  update(
    name: string,
    { name: newName, ...details }: UserInput,
    expectedEdition: number | undefined,
  ): Promise<Changed<User>> {
    refuseRename(name, newName);
    return this.#edit(name, expectedEdition, (user) => ({ ...user, ...details }));
  }

  assignRoles(
    name: string,
    roles: readonly RoleAssignment[],
    expectedEdition?: number,
  ): Promise<Changed<User>> {
    return this.#edit(name, expectedEdition, (user) => ({ ...user, roles }));
  }

  setEnabled(name: string, isEnabled: boolean): Promise<Changed<User>> {
    return this.#edit(name, undefined, (user) => ({ ...user, isEnabled }));
  }

  /** Until somebody unlocks it. */
  lock(name: string): Promise<Changed<User>> {
    return this.#edit(name, undefined, (user) => ({ ...user, lockedUntil: FOREVER }));
  }

  unlock(name: string): Promise<Changed<User>> {
    return this.#edit(name, undefined, ({ lockedUntil: _, ...user }) => ({ ...user, failedSignIns: 0 }));
  }

  async setPassword(name: string, newPassword: string): Promise<Changed<User>> {
    const passwordHash = await this.#passwords.hash(newPassword);
    return this.#edit(name, undefined, (user) => ({ ...user, passwordHash }));
  }

  remove(name: string, expectedEdition: number | undefined): Promise<Stored<User>> {
    return this.#turns.take(ADMINISTRATORS, () =>
      this.#documents.remove(name, undefined, undefined, async (before) => {
        refuseOtherEdition(before.value, expectedEdition);
        if (isAbleAdministrator(before.value)) await this.#requireAnotherThan(before);
      }),
    );
  }

  /** Roles stand within documents, where the database does not look: a scan, for the rare moment a role goes. */
  async countWithRole(roleName: string): Promise<number> {
    let count = 0;
    for await (const { value } of this.#all()) if (value.roles.some(({ role }) => role === roleName)) count++;
    return count;
  }

  /** Takes back what was given in a project that is gone, so that a later one of the same name begins without. */
  async forgetProject(projectName: string): Promise<void> {
    for await (const { value } of this.#all()) {
      if (!value.roles.some(({ project }) => project === projectName)) continue;
      await this.#edit(value.name, undefined, (user) => ({
        ...user,
        roles: user.roles.filter(({ project }) => project !== projectName),
      })).catch(unlessGone);
    }
  }

  /** One step that nobody can come between; the n-th failure in a row locks. */
  async recordFailure({ id, value }: Stored<User>, lockAfter: number, lockMs: number): Promise<void> {
    const lockedUntil = Math.min(this.#clock.now() + lockMs, FOREVER);
    // A lock that has run out leaves a clean slate behind.
    const isNewRow = value.lockedUntil !== undefined;
    const failures = isNewRow ? 1 : value.failedSignIns + 1;
    // What an administrator locked meanwhile stays locked.
    const unlessLocked = { id, lockedUntil: { not: FOREVER } };
    const lock = { set: { lockedUntil, failedSignIns: 0 } };
    if (failures >= lockAfter) {
      await this.#collection.change(unlessLocked, lock);
      return;
    }
    const counted = await this.#collection.change(
      unlessLocked,
      isNewRow ? { set: { failedSignIns: 1 }, unset: ['lockedUntil'] } : { increment: { failedSignIns: 1 } },
    );
    // Others failed at the same time.
    if (counted && counted.value.failedSignIns >= lockAfter)
      await this.#collection.change(unlessLocked, lock);
  }

  async recordSuccess({ id, value }: Stored<User>, password: string): Promise<void> {
    await this.#collection.change(
      { id, lockedUntil: { not: FOREVER } },
      { set: { lastSignInAt: this.#clock.now(), failedSignIns: 0 }, unset: ['lockedUntil'] },
    );
    if (!this.#passwords.isOutdated(value.passwordHash)) return;
    const passwordHash = await this.#passwords.hash(password);
    await this.#collection.change({ id, passwordHash: value.passwordHash }, { set: { passwordHash } });
  }

  #edit(
    name: string,
    expectedEdition: number | undefined,
    change: (user: User) => User,
  ): Promise<Changed<User>> {
    return this.#turns.take(ADMINISTRATORS, () =>
      this.#documents.update(name, undefined, async (before) => {
        refuseOtherEdition(before.value, expectedEdition);
        const after = withMark({ ...change(before.value), edition: before.value.edition + 1 });
        if (isAbleAdministrator(before.value) && !isAbleAdministrator(after))
          await this.#requireAnotherThan(before);
        return after;
      }),
    );
  }

  async #requireAnotherThan({ id, value }: Stored<User>): Promise<void> {
    const administrators = await this.#collection.list({ where: { isAdministrator: true } });
    const others = administrators.filter((other) => other.id !== id && isAbleAdministrator(other.value));
    if (others.length === 0) throw fault('user.last-administrator', { name: value.name });
  }

  async *#all(): AsyncGenerator<Stored<User>> {
    let after = '';
    for (;;) {
      const users = await this.#collection.list({
        where: { id: { above: after } },
        orderBy: { member: 'id' },
        limit: SCAN_SIZE,
      });
      yield* users;
      const last = users.at(-1);
      if (!last || users.length < SCAN_SIZE) return;
      after = last.id;
    }
  }
}

function withMark(user: Omit<User, 'isAdministrator'>): User {
  const isAdministrator = user.roles.some(
    ({ role, project }) => role === ADMINISTRATOR_ROLE && project === undefined,
  );
  return { ...user, isAdministrator };
}

/** A lock that time ends is no lasting harm. */
function isAbleAdministrator({ isAdministrator, isEnabled, lockedUntil }: User): boolean {
  return isAdministrator && isEnabled && lockedUntil !== FOREVER;
}

/** Who was deleted meanwhile has nothing left to take back. */
function unlessGone(error: unknown): void {
  if (!(error instanceof Fault && error.key === 'user.not-found')) throw error;
}

function refuseOtherEdition({ edition }: User, expected: number | undefined): void {
  if (expected !== undefined && expected !== edition) throw fault('revision.stale');
}
