import { fault } from '../../../kernel/faults.ts';
import type { Project, ProjectInput } from '../../../model/project.ts';
import type { Collection, ListQuery, Store, Stored } from '../../../store/contract.ts';
import { type Changed, type DocumentPage, NamedDocuments } from '../../resources/named-documents.ts';
import { checkedName, refuseRename } from '../../resources/names.ts';

/** Objects that belong to a project: it cannot go while it has some. */
export interface ProjectContent {
  readonly kind: string;
  count(projectId: string): Promise<number>;
}

export class ProjectService {
  readonly #collection: Collection<Project>;
  readonly #documents: NamedDocuments<Project>;

  constructor({ store }: { readonly store: Store }) {
    this.#collection = store.collection<Project>({ name: 'projects', unique: [['name']], indexed: [] });
    this.#documents = new NamedDocuments(this.#collection, {
      notFound: (name) => fault('project.not-found', { name }),
      exists: (name) => fault('project.exists', { name }),
    });
  }

  page(query: ListQuery<Project>): Promise<DocumentPage<Project>> {
    return this.#documents.page(query);
  }

  find(name: string): Promise<Stored<Project> | undefined> {
    return this.#documents.find(name);
  }

  get(id: string): Promise<Stored<Project> | undefined> {
    return this.#collection.get(id);
  }

  async require(name: string): Promise<Stored<Project>> {
    if (name.trim() === '') throw fault('project.name-empty');
    return this.#documents.require(name);
  }

  create({ name = '', ...rest }: ProjectInput): Promise<Stored<Project>> {
    if (name.trim() === '') throw fault('project.name-empty');
    return this.#documents.create({ name: checkedName(name), ...rest });
  }

  update(
    name: string,
    { name: newName, ...rest }: ProjectInput,
    expectedRevision: number | undefined,
  ): Promise<Changed<Project>> {
    refuseRename(name, newName);
    return this.#documents.update(name, expectedRevision, () => ({ name, ...rest }));
  }

  remove(
    name: string,
    expectedRevision: number | undefined,
    contents: readonly ProjectContent[],
  ): Promise<Stored<Project>> {
    return this.#documents.remove(name, expectedRevision, undefined, async ({ id }) => {
      for (const { kind, count } of contents) {
        const held = await count(id);
        if (held > 0) throw fault('project.not-empty', { name, count: held, kind });
      }
    });
  }
}
