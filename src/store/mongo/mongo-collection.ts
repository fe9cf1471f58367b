import { type Db, type Collection as DriverCollection, MongoServerError } from 'mongodb';
import {
  type Change,
  type Collection,
  type CollectionDefinition,
  DEFAULT_LIMIT,
  DuplicateKey,
  type Filter,
  type ListQuery,
  StaleRevision,
  type Stored,
} from '../contract.ts';
import { newId } from '../new-id.ts';
import { changedValue, touches } from './changed-value.ts';
import type { MongoCalls } from './mongo-calls.ts';
import { fromMongo, type MongoDocument, membersOfKey, toMongo, type UniqueKeys } from './mongo-documents.ts';
import { mongoQuery, mongoSort, mongoUpdate } from './mongo-filter.ts';
import { ensureIndexes, keyOfIndex } from './mongo-indexes.ts';

const DUPLICATE_KEY = 11000;
const TYPE_MISMATCH = 14;

/** One collection of the server; nothing here needs more than single-document atomicity. */
export class MongoCollection<Value extends object> implements Collection<Value> {
  readonly #calls: MongoCalls;
  readonly #documents: DriverCollection<MongoDocument>;
  readonly #definition: CollectionDefinition<Value>;
  readonly #unique: UniqueKeys;
  #indexes: Promise<void> | undefined;

  constructor(database: Db, calls: MongoCalls, definition: CollectionDefinition<Value>) {
    this.#calls = calls;
    this.#documents = database.collection(definition.name);
    this.#definition = definition;
    this.#unique = definition.unique;
  }

  async insert(value: Value, id = newId()): Promise<Stored<Value>> {
    await this.#call((documents) => documents.insertOne(toMongo(id, 1, value, this.#unique)));
    return { id, revision: 1, value };
  }

  async insertMany(values: readonly Value[]): Promise<void> {
    if (values.length === 0) return;
    const added = values.map((value) => toMongo(newId(), 1, value, this.#unique));
    await this.#call((documents) => documents.insertMany(added, { ordered: true }));
  }

  async get(id: string): Promise<Stored<Value> | undefined> {
    return this.findOne({ id } as Filter<Value>);
  }

  async findOne(where: Filter<Value>): Promise<Stored<Value> | undefined> {
    const [found] = await this.list({ where, limit: 1 });
    return found;
  }

  async list({
    where = {},
    orderBy,
    offset = 0,
    limit = DEFAULT_LIMIT,
  }: ListQuery<Value> = {}): Promise<Stored<Value>[]> {
    // MongoDB takes a limit of 0 for none at all.
    if (limit === 0) return [];
    const query = mongoQuery(where);
    const sort = mongoSort(orderBy);
    const found = await this.#call((documents) =>
      documents.find(query, this.#timeLimit).sort(sort).skip(offset).limit(limit).toArray(),
    );
    return found.map((document) => fromMongo<Value>(document));
  }

  async count(where: Filter<Value> = {}): Promise<number> {
    const query = mongoQuery(where);
    return this.#call((documents) => documents.countDocuments(query, this.#timeLimit));
  }

  async replace(id: string, revision: number, value: Value): Promise<Stored<Value>> {
    const replacement = toMongo(id, revision + 1, value, this.#unique);
    const { matchedCount } = await this.#call((documents) =>
      documents.replaceOne({ _id: id, revision }, replacement),
    );
    if (matchedCount === 0) throw new StaleRevision(this.#definition.name, id);
    return { id, revision: revision + 1, value };
  }

  async change(where: Filter<Value>, change: Change<Value>): Promise<Stored<Value> | undefined> {
    if (this.#unique.some((members) => touches(change, members)))
      return this.#changeByReplacing(where, change);
    try {
      return await this.#changeInPlace(where, change);
    } catch (error) {
      // MongoDB adds to a member that is not there, but not to one that is null.
      if (!hasCode(error, TYPE_MISMATCH)) throw error;
      return this.#changeByReplacing(where, change);
    }
  }

  async remove(id: string, revision?: number): Promise<boolean> {
    const query = revision === undefined ? { _id: id } : { _id: id, revision };
    const { deletedCount } = await this.#call((documents) => documents.deleteOne(query));
    if (deletedCount === 0 && revision !== undefined && (await this.get(id)))
      throw new StaleRevision(this.#definition.name, id);
    return deletedCount > 0;
  }

  async removeWhere(where: Filter<Value>): Promise<number> {
    const query = mongoQuery(where);
    return (await this.#call((documents) => documents.deleteMany(query))).deletedCount;
  }

  async #changeInPlace(where: Filter<Value>, change: Change<Value>): Promise<Stored<Value> | undefined> {
    const query = mongoQuery(where);
    const update = mongoUpdate(change);
    const options = { ...this.#timeLimit, sort: { _id: 1 }, returnDocument: 'after' } as const;
    const changed = await this.#call((documents) => documents.findOneAndUpdate(query, update, options));
    return changed ? fromMongo<Value>(changed) : undefined;
  }

  /** The text of a unique key depends on the whole document: read, compute, and write if nobody was faster. */
  async #changeByReplacing(where: Filter<Value>, change: Change<Value>): Promise<Stored<Value> | undefined> {
    for (;;) {
      const before = await this.findOne(where);
      if (!before) return undefined;
      try {
        return await this.replace(before.id, before.revision, changedValue(before.value, change));
      } catch (error) {
        if (!(error instanceof StaleRevision)) throw error;
      }
    }
  }

  get #timeLimit(): { readonly maxTimeMS: number } {
    return { maxTimeMS: this.#calls.deadlineMs };
  }

  async #call<Result>(act: (documents: DriverCollection<MongoDocument>) => Promise<Result>): Promise<Result> {
    try {
      return await this.#calls.call(async () => {
        await this.#withIndexes();
        return act(this.#documents);
      });
    } catch (error) {
      throw this.#withDuplicateKey(error);
    }
  }

  /** Once; a server that was away when they were wanted is asked again by the next call. */
  #withIndexes(): Promise<void> {
    this.#indexes ??= ensureIndexes(this.#documents, this.#definition).catch((error: unknown) => {
      this.#indexes = undefined;
      throw error;
    });
    return this.#indexes;
  }

  #withDuplicateKey(error: unknown): unknown {
    if (!hasCode(error, DUPLICATE_KEY)) return error;
    const key = keyOfIndex(error.message);
    return new DuplicateKey(this.#definition.name, key === undefined ? ['id'] : membersOfKey(key));
  }
}

function hasCode(error: unknown, code: number): error is MongoServerError {
  return error instanceof MongoServerError && error.code === code;
}
