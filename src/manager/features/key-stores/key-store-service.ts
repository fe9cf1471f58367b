import { fault } from '../../../kernel/faults.ts';
import type { SecretBox } from '../../../kernel/secret-box.ts';
import type { KeyStoreChange, KeyStoreInput, StoredKeyStore } from '../../../model/key-store.ts';
import type { StoreKind } from '../../../pki/open-key-store.ts';
import type { Collection, ListQuery, Store, Stored } from '../../../store/contract.ts';
import { newId } from '../../../store/new-id.ts';
import { type Changed, type DocumentPage, NamedDocuments } from '../../resources/named-documents.ts';
import { checkedName, refuseRename } from '../../resources/names.ts';
import { inspect } from './inspection.ts';

/** Where a store belongs that all projects may use. */
export const GLOBAL_SCOPE = 'global';

/** Key stores, or trust stores: checked when they come in, sealed where they lie. */
export class KeyStoreService {
  /** What a project that has some is said to have. */
  readonly kind: string;
  readonly #type: StoreKind;
  readonly #secretBox: SecretBox;
  readonly #collection: Collection<StoredKeyStore>;
  readonly #documents: NamedDocuments<StoredKeyStore>;

  constructor(
    type: StoreKind,
    { store, secretBox }: { readonly store: Store; readonly secretBox: SecretBox },
  ) {
    this.#type = type;
    this.kind = type === 'KeyStore' ? 'key stores' : 'trust stores';
    this.#secretBox = secretBox;
    this.#collection = store.collection<StoredKeyStore>({
      name: type === 'KeyStore' ? 'key_stores' : 'trust_stores',
      unique: [['scope', 'name']],
      indexed: [],
    });
    this.#documents = new NamedDocuments(this.#collection, {
      notFound: (name) => fault('key-store.not-found', { type, name }),
      exists: (name) => fault('key-store.exists', { type, name }),
    });
  }

  readonly count = (scope: string): Promise<number> => this.#collection.count({ scope });

  page(scope: string, query: ListQuery<StoredKeyStore>): Promise<DocumentPage<StoredKeyStore>> {
    return this.#documents.page({ ...query, where: { scope } });
  }

  find(scope: string, name: string): Promise<Stored<StoredKeyStore> | undefined> {
    return this.#documents.find(name, { scope });
  }

  require(scope: string, name: string): Promise<Stored<StoredKeyStore>> {
    return this.#documents.require(name, { scope });
  }

  async create(scope: string, { name = '', ...given }: KeyStoreInput): Promise<Stored<StoredKeyStore>> {
    const id = newId();
    const common = { scope, name: checkedName(name), description: given.description };
    return this.#documents.create({ ...common, ...(await this.#checkedFile(id, given)) }, id);
  }

  update(
    scope: string,
    name: string,
    { name: newName, content, ...given }: KeyStoreChange,
    expectedRevision: number | undefined,
  ): Promise<Changed<StoredKeyStore>> {
    refuseRename(name, newName);
    return this.#documents.update(
      name,
      expectedRevision,
      async ({ id, value }) => ({
        ...value,
        description: given.description,
        ...(content !== undefined && (await this.#checkedFile(id, { ...given, content }))),
      }),
      { scope },
    );
  }

  /** `users` finds out what would be left without it; it may not go while there are some. */
  remove(
    scope: string,
    name: string,
    expectedRevision: number | undefined,
    users: (type: StoreKind) => Promise<string>,
  ): Promise<Stored<StoredKeyStore>> {
    return this.#documents.remove(name, expectedRevision, { scope }, async () => {
      const found = await users(this.#type);
      if (found !== '') throw fault('key-store.in-use', { type: this.#type, name, users: found });
    });
  }

  /** The file as it came in, for whoever makes TLS connections with it. */
  unsealed({ id, value }: Stored<StoredKeyStore>): { readonly content: Buffer; readonly password: string } {
    return {
      content: this.#secretBox.open(value.sealedContent, this.#place(id, 'content')),
      password: this.#secretBox.open(value.sealedPassword, this.#place(id, 'password')).toString(),
    };
  }

  async #checkedFile(id: string, { type, content, password }: Omit<KeyStoreInput, 'name' | 'description'>) {
    const bytes = Buffer.from(content, 'base64');
    const entries = await inspect(this.#type, type, bytes, password);
    return {
      type,
      entries,
      sealedContent: this.#secretBox.seal(bytes, this.#place(id, 'content')),
      sealedPassword: this.#secretBox.seal(password, this.#place(id, 'password')),
    };
  }

  #place(id: string, member: string): string {
    return `${this.#collectionName}/${id}/${member}`;
  }

  get #collectionName(): string {
    return this.#type === 'KeyStore' ? 'key-stores' : 'trust-stores';
  }
}
