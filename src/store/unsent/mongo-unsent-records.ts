import {
  BSON,
  type Collection,
  type Db,
  type Document,
  type Filter,
  type FindOptions,
  ObjectId,
} from 'mongodb';
import type { MongoCalls } from '../mongo/mongo-calls.ts';
import {
  LARGEST_RECORD_BYTES,
  type ReadWindow,
  type UnsentCollection,
  type UnsentRecord,
  type UnsentRecords,
  type WaitingRecord,
} from './unsent-records.ts';

/** As they stand there: `{_id, log_timestamp, connector_id, content}`, ids made by the driver or by anybody. */
interface FlatRecord extends Document {
  readonly _id: string | ObjectId;
}

/** Keys tell texts and ObjectIds apart; in MongoDB's order all texts stand before all ObjectIds. */
const TEXT_KEY = 's';
const OBJECT_ID_KEY = 'o';
const firstObjectId = new ObjectId('000000000000000000000000');
/** Stands where bytes were that are no UTF-8. */
const REPLACEMENT = '\ufffd';
const READ_AHEAD = 100;

/** Flat documents in a collection that other tools know too. */
export class MongoUnsentRecords implements UnsentRecords {
  readonly #database: Db;
  readonly #calls: MongoCalls;
  readonly #documents: Collection<FlatRecord>;

  constructor(database: Db, calls: MongoCalls, collection: UnsentCollection) {
    this.#database = database;
    this.#calls = calls;
    this.#documents = database.collection(collection);
  }

  async append(records: readonly UnsentRecord[]): Promise<void> {
    if (records.length === 0) return;
    const documents = records.map(({ log_timestamp, connector_id, content }) => ({
      _id: new ObjectId(),
      log_timestamp,
      connector_id,
      content,
    }));
    await this.#calls.call(() => this.#documents.insertMany(documents));
  }

  count(): Promise<number> {
    return this.#calls.call(() => this.#documents.countDocuments());
  }

  async storageBytes(): Promise<number> {
    const collStats = this.#documents.collectionName;
    const { storageSize = 0 } = await this.#calls.call(() => this.#database.command({ collStats }));
    return Number(storageSize);
  }

  async first(): Promise<WaitingRecord | undefined> {
    return (await this.read({ limit: 1, maxBytes: 0 })).at(0);
  }

  async last(): Promise<WaitingRecord | undefined> {
    for (const ids of [{ $gte: firstObjectId }, { $gte: '' }]) {
      const [found] = await this.#find({ _id: ids }, { sort: { _id: -1 }, limit: 1 }, 0);
      if (found) return found;
    }
    return undefined;
  }

  async keyAt(position: number): Promise<string | undefined> {
    const query = { $or: [{ _id: { $gte: '' } }, { _id: { $gte: firstObjectId } }] };
    const [found] = await this.#calls.call(() =>
      this.#documents
        .find(query, { sort: { _id: 1 }, skip: position, limit: 1, projection: { _id: 1 } })
        .toArray(),
    );
    return found && keyOf(found._id);
  }

  async read({ after, through, limit, maxBytes }: ReadWindow): Promise<WaitingRecord[]> {
    const found: WaitingRecord[] = [];
    let bytes = 0;
    for (const ids of rangesOf(after, through)) {
      const options = { sort: { _id: 1 }, limit: limit - found.length } as const;
      const more = await this.#find({ _id: ids } as Filter<FlatRecord>, options, maxBytes - bytes);
      for (const record of more) bytes += record.bytes;
      found.push(...more);
      if (found.length >= limit || (found.length > 0 && bytes >= maxBytes)) break;
    }
    return found;
  }

  async delete(keys: readonly string[]): Promise<number> {
    if (keys.length === 0) return 0;
    const ids = keys.map(idOfKey);
    const { deletedCount } = await this.#calls.call(() => this.#documents.deleteMany({ _id: { $in: ids } }));
    return deletedCount;
  }

  async compact(): Promise<void> {
    // A primary refuses it without force.
    const command = { compact: this.#documents.collectionName, force: true };
    await this.#database.command(command);
  }

  /** Documents come one by one, so that a few large ones do not become one large heap. */
  #find(query: Filter<FlatRecord>, options: FindOptions, maxBytes: number): Promise<WaitingRecord[]> {
    return this.#calls.call(async () => {
      const found: WaitingRecord[] = [];
      let bytes = 0;
      const lenient = {
        ...options,
        batchSize: Math.min(READ_AHEAD, options.limit ?? READ_AHEAD),
        enableUtf8Validation: false,
      };
      await using cursor = this.#documents.find(query, lenient);
      for await (const document of cursor) {
        const record = waitingRecord(await this.#checked(document));
        bytes += record.bytes;
        if (bytes > maxBytes && found.length > 0) break;
        found.push(record);
      }
      return found;
    });
  }

  /** Text that is no UTF-8 would be sent changed: its record counts as one without content. */
  async #checked(document: FlatRecord): Promise<FlatRecord> {
    if (typeof document.content !== 'string' || !document.content.includes(REPLACEMENT)) return document;
    try {
      return (await this.#documents.findOne({ _id: document._id })) ?? document;
    } catch (error) {
      if (!(error instanceof BSON.BSONError)) throw error;
      return { ...document, content: undefined };
    }
  }
}

function waitingRecord(document: FlatRecord): WaitingRecord {
  const { _id, content, log_timestamp: time, connector_id: connector } = document;
  const text = typeof content === 'string' ? content : undefined;
  const bytes = text === undefined ? BSON.calculateObjectSize(document) : Buffer.byteLength(text);
  return {
    key: keyOf(_id),
    id: documentIdOf(_id),
    timestamp: time instanceof Date ? time.toISOString() : textOf(time),
    connectorId: connector instanceof ObjectId ? connector.toHexString() : textOf(connector),
    content: bytes > LARGEST_RECORD_BYTES ? undefined : text,
    bytes,
    exported: () => BSON.EJSON.stringify(document, { relaxed: false }),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A text that looks like an ObjectId must not take the place of that ObjectId in the index. */
function documentIdOf(id: string | ObjectId): string {
  if (typeof id !== 'string') return id.toHexString();
  return /^[0-9a-f]{24}$/.test(id) ? `text-${id}` : id;
}

function keyOf(id: string | ObjectId): string {
  return typeof id === 'string' ? TEXT_KEY + id : OBJECT_ID_KEY + id.toHexString();
}

function idOfKey(key: string): string | ObjectId {
  return key.startsWith(TEXT_KEY) ? key.slice(1) : new ObjectId(key.slice(1));
}

type Range = Readonly<Record<string, string | ObjectId>>;

/** A comparison in MongoDB meets values of its own type only: one range for texts, one for ObjectIds. */
function rangesOf(after: string | undefined, through: string | undefined): Range[] {
  const isBehindTexts = after?.startsWith(OBJECT_ID_KEY) ?? false;
  const isEndingInTexts = through?.startsWith(TEXT_KEY) ?? false;
  const texts = isBehindTexts ? [] : [rangeOf(after, isEndingInTexts ? through : undefined, '')];
  const objectIds = isEndingInTexts
    ? []
    : [rangeOf(isBehindTexts ? after : undefined, through, firstObjectId)];
  return [...texts, ...objectIds];
}

function rangeOf(after: string | undefined, through: string | undefined, least: string | ObjectId): Range {
  return {
    ...(after === undefined ? { $gte: least } : { $gt: idOfKey(after) }),
    ...(through !== undefined && { $lte: idOfKey(through) }),
  };
}
