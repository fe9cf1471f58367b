import { fault } from '../../kernel/faults.ts';
import {
  type Collection,
  type CollectionDefinition,
  DuplicateKey,
  type Store,
} from '../../store/contract.ts';
import type { ObjectKind } from './object-deployer.ts';

/** One object as it was deployed. It holds everything its pods need, so that nothing else can change it. */
export interface DeployedObject {
  readonly kind: ObjectKind;
  readonly id: string;
  readonly name: string;
  readonly projectName?: string;
  readonly enabled: boolean;
  /** Tells whether what is configured now is still what was deployed. */
  readonly digest: string;
  /** The revision that brought it as it is. */
  readonly revision: number;
  readonly deployedAtMs: number;
  /** Its content as JSON, sealed for `placeOf` it: nothing of it lies readable in the database. */
  readonly sealedContent: string;
}

/** What the pods of an environment run: never changed, only followed by the next one. */
export interface Snapshot {
  readonly environmentId: string;
  /** Begins at 1 and grows by one with every deployment. */
  readonly revision: number;
  readonly createdAtMs: number;
  readonly createdBy: string;
  /** By kind and id. */
  readonly objects: readonly DeployedObject[];
}

const definition: CollectionDefinition<Snapshot> = {
  name: 'revisions',
  unique: [['environmentId', 'revision']],
  indexed: [],
};

/** What the sealed content of a deployed object is bound to. */
export function placeOf(environmentId: string, { kind, id }: Pick<DeployedObject, 'kind' | 'id'>): string {
  return `revisions/${environmentId}/${kind}/${id}`;
}

export interface NextSnapshot {
  readonly createdAtMs: number;
  readonly createdBy: string;
  readonly environmentName: string;
  /**
   * The objects of the next revision, made of those of the current one; undefined when there is nothing to change. Called
   * again when somebody else's deployment came first.
   */
  readonly change: (
    objects: readonly DeployedObject[],
    revision: number,
  ) => readonly DeployedObject[] | undefined;
}

/** So many revisions of an environment stay, to look at and to go back to. */
const KEPT = 20;
/** MongoDB takes documents of 16 MB; the rest is for what surrounds the objects. */
const MOST_BYTES = 15 * 1024 * 1024;

/** The revisions of all environments. */
export class Snapshots {
  readonly #collection: Collection<Snapshot>;
  readonly #maxBytes: number;
  /** The newest known one of each environment. */
  readonly #known = new Map<string, Snapshot>();

  constructor(store: Store, { maxBytes = MOST_BYTES }: { readonly maxBytes?: number } = {}) {
    this.#collection = store.collection<Snapshot>(definition);
    this.#maxBytes = maxBytes;
  }

  /** The current snapshot of an environment. Cheap to ask: only one that is not known yet is read. */
  async latest(environmentId: string): Promise<Snapshot | undefined> {
    const known = this.#known.get(environmentId);
    const newer = await this.newerThan(environmentId, known?.revision ?? 0);
    if (!newer) return known;
    this.#known.set(environmentId, newer);
    return newer;
  }

  /** The current snapshot if it is newer than the given revision. */
  async newerThan(environmentId: string, revision: number): Promise<Snapshot | undefined> {
    const [found] = await this.#collection.list({
      where: { environmentId, revision: { above: revision } },
      orderBy: { member: 'revision', descending: true },
      limit: 1,
    });
    return found?.value;
  }

  /** Writes the next revision. Those who do so at the same time follow each other, and none is lost. */
  async next(
    environmentId: string,
    { change, environmentName, ...made }: NextSnapshot,
  ): Promise<Snapshot | undefined> {
    for (;;) {
      const before = await this.latest(environmentId);
      const revision = (before?.revision ?? 0) + 1;
      const objects = change(before?.objects ?? [], revision)?.toSorted(byKindAndId);
      if (!objects) return undefined;
      const snapshot = { environmentId, revision, ...made, objects };
      this.#refuseTooLarge(snapshot, environmentName);
      try {
        await this.#collection.insert(snapshot);
      } catch (error) {
        if (error instanceof DuplicateKey) continue;
        throw error;
      }
      await this.#collection.removeWhere({ environmentId, revision: { atMost: revision - KEPT } });
      return snapshot;
    }
  }

  /** Removes every revision of an environment that is gone. */
  async forget(environmentId: string): Promise<void> {
    this.#known.delete(environmentId);
    await this.#collection.removeWhere({ environmentId });
  }

  #refuseTooLarge(snapshot: Snapshot, environmentName: string): void {
    const bytes = Buffer.byteLength(JSON.stringify(snapshot));
    if (bytes > this.#maxBytes)
      throw fault('deployment.too-large', { environmentName, maxBytes: this.#maxBytes });
  }
}

function byKindAndId(one: DeployedObject, other: DeployedObject): number {
  const [left, right] = [`${one.kind}/${one.id}`, `${other.kind}/${other.id}`];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
