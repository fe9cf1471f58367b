import { type Fault, fault } from '../../kernel/faults.ts';
import {
  type Collection,
  DuplicateKey,
  type Filter,
  type ListQuery,
  StaleRevision,
  type Stored,
} from '../../store/contract.ts';

/** What is said when a name leads nowhere, or is taken. */
export interface NameFaults {
  readonly notFound: (name: string) => Fault;
  readonly exists: (name: string) => Fault;
}

export interface DocumentPage<Value> {
  readonly documents: readonly Stored<Value>[];
  readonly total: number;
}

export interface Changed<Value> {
  readonly before: Stored<Value>;
  readonly after: Stored<Value>;
}

/** Documents that people know by name, with the rules that all of them share: unique names, no lost updates. */
export class NamedDocuments<Value extends { readonly name: string }> {
  readonly #collection: Collection<Value>;
  readonly #faults: NameFaults;

  constructor(collection: Collection<Value>, faults: NameFaults) {
    this.#collection = collection;
    this.#faults = faults;
  }

  find(name: string, within: Filter<Value> = {}): Promise<Stored<Value> | undefined> {
    return this.#collection.findOne({ ...within, name });
  }

  async require(name: string, within?: Filter<Value>): Promise<Stored<Value>> {
    const found = await this.find(name, within);
    if (!found) throw this.#faults.notFound(name);
    return found;
  }

  async page(query: ListQuery<Value>): Promise<DocumentPage<Value>> {
    const [documents, total] = await Promise.all([
      this.#collection.list(query),
      this.#collection.count(query.where),
    ]);
    return { documents, total };
  }

  async create(value: Value, id?: string): Promise<Stored<Value>> {
    try {
      return await this.#collection.insert(value, id);
    } catch (error) {
      throw error instanceof DuplicateKey ? this.#faults.exists(value.name) : error;
    }
  }

  /**
   * Puts what `change` makes of the document in its place. Upon a stale revision it fails when the caller named one,
   * and begins anew when not.
   */
  async update(
    name: string,
    expectedRevision: number | undefined,
    change: (before: Stored<Value>) => Value | Promise<Value>,
    within?: Filter<Value>,
  ): Promise<Changed<Value>> {
    for (;;) {
      const before = await this.require(name, within);
      refuseOther(before.revision, expectedRevision);
      const value = await change(before);
      try {
        return { before, after: await this.#collection.replace(before.id, before.revision, value) };
      } catch (error) {
        if (error instanceof DuplicateKey) throw this.#faults.exists(value.name);
        if (!(error instanceof StaleRevision)) throw error;
      }
    }
  }

  /** Resolves with what it was. `mayGo` throws when it may not go. */
  async remove(
    name: string,
    expectedRevision: number | undefined,
    within?: Filter<Value>,
    mayGo?: (before: Stored<Value>) => Promise<void>,
  ): Promise<Stored<Value>> {
    for (;;) {
      const before = await this.require(name, within);
      refuseOther(before.revision, expectedRevision);
      await mayGo?.(before);
      try {
        if (await this.#collection.remove(before.id, before.revision)) return before;
      } catch (error) {
        if (!(error instanceof StaleRevision)) throw error;
      }
    }
  }
}

function refuseOther(revision: number, expected: number | undefined): void {
  if (expected !== undefined && expected !== revision) throw fault('revision.stale');
}
