import { fault } from '../../../kernel/faults.ts';
import {
  type Environment,
  type EnvironmentInput,
  environmentCollection,
} from '../../../model/environment.ts';
import type { Collection, ListQuery, Store, Stored } from '../../../store/contract.ts';
import { type Changed, type DocumentPage, NamedDocuments } from '../../resources/named-documents.ts';
import { checkedName, refuseRename } from '../../resources/names.ts';

export interface EnvironmentServiceOptions {
  readonly store: Store;
  /** Is told the name of every one that is made. */
  readonly onCreated?: ((name: string) => void) | undefined;
}

export class EnvironmentService {
  readonly #collection: Collection<Environment>;
  readonly #onCreated: EnvironmentServiceOptions['onCreated'];
  readonly #documents: NamedDocuments<Environment>;

  constructor({ store, onCreated }: EnvironmentServiceOptions) {
    this.#onCreated = onCreated;
    this.#collection = store.collection<Environment>(environmentCollection);
    this.#documents = new NamedDocuments(this.#collection, {
      notFound: (name) => fault('environment.not-found', { name }),
      exists: (name) => fault('environment.exists', { name }),
    });
  }

  page(query: ListQuery<Environment>): Promise<DocumentPage<Environment>> {
    return this.#documents.page(query);
  }

  /** All of them: there are few. */
  all(): Promise<Stored<Environment>[]> {
    return this.#collection.list({ orderBy: { member: 'name' } });
  }

  require(name: string): Promise<Stored<Environment>> {
    return this.#documents.require(name);
  }

  /** The store gives it an id of 96 random bits. */
  async create({ name = '', ...rest }: EnvironmentInput): Promise<Stored<Environment>> {
    const created = await this.#documents.create({
      name: checkedName(name),
      ...rest,
      status: 'UNPUBLISHED',
    });
    this.#onCreated?.(created.value.name);
    return created;
  }

  update(
    name: string,
    { name: newName, ...rest }: EnvironmentInput,
    expectedRevision: number | undefined,
  ): Promise<Changed<Environment>> {
    refuseRename(name, newName);
    return this.#documents.update(name, expectedRevision, ({ value }) => ({ ...value, ...rest }));
  }

  /** Whether something is deployed to it. */
  async setPublished(id: string, isPublished: boolean): Promise<void> {
    const status = isPublished ? 'PUBLISHED' : 'UNPUBLISHED';
    await this.#collection.change({ id, status: { not: status } }, { set: { status } });
  }

  remove(name: string, expectedRevision: number | undefined): Promise<Stored<Environment>> {
    return this.#documents.remove(name, expectedRevision, undefined, async ({ value }) => {
      if (value.status === 'UNPUBLISHED') return;
      throw fault('environment.in-use', { name, reason: 'it is published' });
    });
  }
}
