/**
 * The platform database as everything above it sees it: collections of JSON documents with optimistic locking,
 * unique keys, ordered scans and atomic conditional changes. SQLite (embedded) and MongoDB both pass the same suite.
 * There are no transactions over several documents: whatever must be atomic is one document.
 */
export interface Store {
  collection<Value extends object>(definition: CollectionDefinition<Value>): Collection<Value>;
  /**
   * Another number once anything was committed, by whomever; undefined where the engine cannot tell. What was read after
   * it was asked is right for as long as it stays the same.
   */
  version(): number | undefined;
  /** Rejects with StoreUnavailable when the engine does not answer within its deadline. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface CollectionDefinition<Value extends object> {
  /** Letters, digits and `_`. */
  readonly name: string;
  /** Each is one unique key over the named members (scalars); documents that lack one of them are not bound by it. */
  readonly unique: ReadonlyArray<readonly MemberOf<Value>[]>;
  /** Members that lists are filtered and ordered by often. */
  readonly indexed: ReadonlyArray<readonly MemberOf<Value>[]>;
}

/** Top-level members only: filters, order and keys need no deeper ones. */
export type MemberOf<Value> = Extract<keyof Value, string>;

/** A document as stored. */
export interface Stored<Value> {
  /** 24 lower-case hex digits, random unless given. */
  readonly id: string;
  /** Begins at 1 and grows by one with every change. */
  readonly revision: number;
  readonly value: Value;
}

export interface Collection<Value extends object> {
  /** Rejects with DuplicateKey. */
  insert(value: Value, id?: string): Promise<Stored<Value>>;
  /** Many at once, in order, as fast as the engine can; all or none on SQLite, up to the first failure on MongoDB. */
  insertMany(values: readonly Value[]): Promise<void>;
  get(id: string): Promise<Stored<Value> | undefined>;
  findOne(where: Filter<Value>): Promise<Stored<Value> | undefined>;
  list(query?: ListQuery<Value>): Promise<Stored<Value>[]>;
  count(where?: Filter<Value>): Promise<number>;
  /** Rejects with StaleRevision when the document changed or went meanwhile, with DuplicateKey when a key is taken. */
  replace(id: string, revision: number, value: Value): Promise<Stored<Value>>;
  /**
   * Changes the first document that matches, in one step that nobody can come between. Resolves with what it became,
   * or undefined when none matched. This is how counters, leases and state changes are made.
   */
  change(where: Filter<Value>, change: Change<Value>): Promise<Stored<Value> | undefined>;
  /** Resolves with whether there was something to remove. A given revision must still be the current one. */
  remove(id: string, revision?: number): Promise<boolean>;
  removeWhere(where: Filter<Value>): Promise<number>;
}

export type Scalar = string | number | boolean | null;

/**
 * Every named member must fit. `id` filters by the document's own id. Conditions look at members that hold scalars;
 * everywhere a member that is null counts as one that is not there.
 */
export type Filter<Value> = {
  readonly [Name in MemberOf<Value>]?: Condition;
} & { readonly id?: Condition };

export type Condition =
  | Scalar
  | { readonly in: readonly Scalar[] }
  | { readonly not: Scalar }
  | {
      /** Bounds compare with members of their own kind only: numbers with numbers, text with text by code point. */
      readonly above?: number | string;
      readonly atLeast?: number | string;
      readonly below?: number | string;
      readonly atMost?: number | string;
    }
  /** Case-insensitive. */
  | { readonly contains: string }
  | { readonly exists: boolean };

export interface ListQuery<Value> {
  readonly where?: Filter<Value>;
  /** Ties are broken by id, so that pages never overlap. */
  readonly orderBy?: { readonly member: MemberOf<Value> | 'id'; readonly descending?: boolean };
  readonly offset?: number;
  /** 1000 unless given. */
  readonly limit?: number;
}

export const DEFAULT_LIMIT = 1000;

/** A member is named once: set, unset or incremented. */
export interface Change<Value> {
  readonly set?: Partial<Value>;
  readonly unset?: readonly MemberOf<Value>[];
  /** A member that is not there begins at 0. */
  readonly increment?: { readonly [Name in MemberOf<Value>]?: number };
}

/** A unique key is taken. */
export class DuplicateKey extends Error {
  readonly collection: string;
  readonly members: readonly string[];

  constructor(collection: string, members: readonly string[]) {
    super(`${collection}: another document has the same ${members.join(', ')}`);
    this.name = 'DuplicateKey';
    this.collection = collection;
    this.members = members;
  }
}

/** Somebody changed or removed the document since it was read. */
export class StaleRevision extends Error {
  constructor(collection: string, id: string) {
    super(`${collection}: document ${id} was changed meanwhile`);
    this.name = 'StaleRevision';
  }
}

/** The engine is away or did not answer in time. */
export class StoreUnavailable extends Error {
  constructor(options?: ErrorOptions) {
    super('the platform database does not answer', options);
    this.name = 'StoreUnavailable';
  }
}

/** The database was written by a newer release: using it could damage what this one does not know. */
export class StoreTooNew extends Error {
  constructor(found: number, known: number) {
    super(
      `the platform database has schema version ${found}, this release knows versions up to ${known}; start the newer release, or restore a backup made before it`,
    );
    this.name = 'StoreTooNew';
  }
}
