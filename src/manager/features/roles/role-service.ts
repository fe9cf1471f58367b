import type { Clock } from '../../../kernel/clock.ts';
import { fault } from '../../../kernel/faults.ts';
import type { Permission } from '../../../model/permission.ts';
import { type Role, type RoleInput, readyRole } from '../../../model/role.ts';
import type { RoleAssignment } from '../../../model/user.ts';
import type { ListQuery, Store, Stored } from '../../../store/contract.ts';
import { type Changed, type DocumentPage, NamedDocuments } from '../../resources/named-documents.ts';
import { checkedName, refuseRename } from '../../resources/names.ts';
import type { Grant } from '../../security/caller.ts';

/** What another process changed in a role is seen after so long. */
const FRESH_MS = 1000;
const MAX_KEPT = 1000;
const NONE: readonly Permission[] = [];

interface Kept {
  readonly until: number;
  readonly read: Promise<readonly Permission[]>;
}

/** Roles: the ready ones, which are part of the platform, and those that people make. */
export class RoleService {
  readonly #documents: NamedDocuments<Role>;
  readonly #clock: Clock;
  readonly #kept = new Map<string, Kept>();

  constructor({ store, clock }: { readonly store: Store; readonly clock: Clock }) {
    const collection = store.collection<Role>({ name: 'roles', unique: [['name']], indexed: [] });
    this.#documents = new NamedDocuments(collection, {
      notFound: (name) => fault('role.not-found', { name }),
      exists: (name) => fault('role.exists', { name }),
    });
    this.#clock = clock;
  }

  /** Of the roles that people made. */
  page(query: ListQuery<Role>): Promise<DocumentPage<Role>> {
    return this.#documents.page(query);
  }

  require(name: string): Promise<Stored<Role>> {
    return this.#documents.require(name);
  }

  create({ name = '', ...rest }: RoleInput): Promise<Stored<Role>> {
    if (readyRole(name)) throw fault('role.exists', { name });
    return this.#documents.create({ name: checkedName(name), ...rest });
  }

  async update(
    name: string,
    { name: newName, ...rest }: RoleInput,
    expectedRevision: number | undefined,
  ): Promise<Changed<Role>> {
    refuseReady(name);
    refuseRename(name, newName);
    const changed = await this.#documents.update(name, expectedRevision, () => ({ name, ...rest }));
    this.#kept.delete(name);
    return changed;
  }

  async remove(
    name: string,
    expectedRevision: number | undefined,
    countUsers: (roleName: string) => Promise<number>,
  ): Promise<Stored<Role>> {
    refuseReady(name);
    const removed = await this.#documents.remove(name, expectedRevision, undefined, async () => {
      const count = await countUsers(name);
      if (count > 0) throw fault('role.in-use', { name, count });
    });
    this.#kept.delete(name);
    return removed;
  }

  /** What the assigned roles give. A role that is gone gives nothing. */
  async grantsOf(assignments: readonly RoleAssignment[]): Promise<Grant[]> {
    const grants: Grant[] = [];
    for (const { role, project } of assignments) {
      const permissions = readyRole(role)?.permissions ?? (await this.#permissionsOf(role));
      grants.push({ project, permissions });
    }
    return grants;
  }

  /** Refuses roles that do not exist. */
  async checkExist(assignments: readonly RoleAssignment[]): Promise<void> {
    for (const { role } of assignments) {
      if (!readyRole(role) && !(await this.#documents.find(role)))
        throw fault('role.unknown', { name: role });
    }
  }

  async #permissionsOf(name: string): Promise<readonly Permission[]> {
    const now = this.#clock.now();
    const kept = this.#kept.get(name);
    if (kept && now < kept.until) return kept.read;
    const read = this.#documents.find(name).then((found) => found?.value.permissions ?? NONE);
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear();
    this.#kept.set(name, { until: now + FRESH_MS, read });
    read.catch(() => this.#kept.delete(name));
    return read;
  }
}

function refuseReady(name: string): void {
  if (readyRole(name)) throw fault('role.ready', { name });
}
