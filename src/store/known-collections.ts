import type { Collection, CollectionDefinition } from './contract.ts';

/** The collections of one store: each is opened once, and only with one definition. */
export class KnownCollections {
  readonly #known = new Map<string, { readonly shape: string; readonly collection: unknown }>();

  get<Value extends object>(
    { name, unique, indexed }: CollectionDefinition<Value>,
    open: () => Collection<Value>,
  ): Collection<Value> {
    const shape = JSON.stringify({ unique, indexed });
    const known = this.#known.get(name) ?? { shape, collection: open() };
    if (known.shape !== shape) throw new Error(`collection ${name} is already open with another definition`);
    this.#known.set(name, known);
    return known.collection as Collection<Value>;
  }
}
