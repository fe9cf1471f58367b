import { type Db, type MongoClient, MongoServerError } from 'mongodb';
import { MongoCalls } from '../mongo/mongo-calls.ts';
import { mongoClientFor, mongoDatabaseOf } from '../mongo/mongo-client.ts';
import { shownMongoUrl } from './mongo-address.ts';
import { MongoReplayTurn } from './mongo-replay-turn.ts';
import { MongoUnsentRecords } from './mongo-unsent-records.ts';
import {
  type Primary,
  type UnsentCollection,
  type UnsentRecords,
  type UnsentSource,
  unsentCollections,
} from './unsent-records.ts';

interface Hello {
  readonly isWritablePrimary?: boolean;
  readonly ismaster?: boolean;
  readonly primary?: string;
}

const COMMAND_NOT_FOUND = 59;

/** The platform database on MongoDB, read as it stands there: flat documents, whoever wrote them. */
export class MongoUnsentSource implements UnsentSource {
  readonly name: string;
  readonly turn: MongoReplayTurn;
  readonly #client: MongoClient;
  readonly #database: Db;
  readonly #calls: MongoCalls;

  static async open(url: string, deadlineMs: number): Promise<MongoUnsentSource> {
    const source = new MongoUnsentSource(url, deadlineMs);
    try {
      await source.#calls.call(() => source.#database.command({ ping: 1 }));
      return source;
    } catch (error) {
      await source[Symbol.asyncDispose]();
      throw error;
    }
  }

  private constructor(url: string, deadlineMs: number) {
    this.name = shownMongoUrl(url);
    this.#client = mongoClientFor(url, deadlineMs);
    this.#database = mongoDatabaseOf(this.#client, url);
    this.#calls = new MongoCalls(deadlineMs);
    this.turn = new MongoReplayTurn(this.#database, this.#calls);
  }

  async primary(): Promise<Primary> {
    const hello = await this.#calls.call(() => this.#hello());
    if (hello.isWritablePrimary ?? hello.ismaster) return { isPrimary: true };
    return { isPrimary: false, ...(hello.primary && { primary: hello.primary }) };
  }

  async #hello(): Promise<Hello> {
    const admin = this.#database.admin();
    try {
      return await admin.command({ hello: 1 });
    } catch (error) {
      // Servers from before 4.4.2 know it by its older name.
      if (!(error instanceof MongoServerError) || error.code !== COMMAND_NOT_FOUND) throw error;
      return await admin.command({ ismaster: 1 });
    }
  }

  async collections(): Promise<UnsentCollection[]> {
    const found = await this.#calls.call(() =>
      this.#database.listCollections({}, { nameOnly: true }).toArray(),
    );
    const names = new Set(found.map(({ name }) => name));
    return unsentCollections.filter((collection) => names.has(collection));
  }

  records(collection: UnsentCollection): UnsentRecords {
    return new MongoUnsentRecords(this.#database, this.#calls, collection);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.close();
  }
}
