import { type Collection, type Db, MongoServerError } from 'mongodb';
import type { MongoCalls } from '../mongo/mongo-calls.ts';
import type { ReplayTurn, TurnNote } from './unsent-records.ts';

interface TurnDocument extends TurnNote {
  readonly _id: 'replay';
}

const DUPLICATE_KEY = 11000;
const only = { _id: 'replay' } as const;

/** One document of a collection of its own. */
export class MongoReplayTurn implements ReplayTurn {
  readonly #documents: Collection<TurnDocument>;
  readonly #calls: MongoCalls;

  constructor(database: Db, calls: MongoCalls) {
    this.#documents = database.collection('UnsentReplay');
    this.#calls = calls;
  }

  async read(): Promise<TurnNote | undefined> {
    return (await this.#calls.call(() => this.#documents.findOne(only))) ?? undefined;
  }

  async take({ holder, expiresAtMs, report }: TurnNote, nowMs: number, from?: string): Promise<boolean> {
    const isFree = [{ expiresAtMs: { $lte: nowMs } }, ...(from === undefined ? [] : [{ holder: from }])];
    const note = { holder, expiresAtMs, report, isEndWanted: false };
    try {
      await this.#calls.call(() =>
        this.#documents.updateOne({ ...only, $or: isFree }, { $set: note }, { upsert: true }),
      );
      return true;
    } catch (error) {
      // Nothing was free, so that it wanted to insert a second one.
      if (error instanceof MongoServerError && error.code === DUPLICATE_KEY) return false;
      throw error;
    }
  }

  async keep({ holder, expiresAtMs, report }: Omit<TurnNote, 'isEndWanted'>): Promise<TurnNote | undefined> {
    const kept = await this.#calls.call(() =>
      this.#documents.findOneAndUpdate(
        { ...only, holder },
        { $set: { expiresAtMs, report } },
        { returnDocument: 'after' },
      ),
    );
    return kept ?? undefined;
  }

  async wantEnd(nowMs: number): Promise<boolean> {
    const { matchedCount } = await this.#calls.call(() =>
      this.#documents.updateOne({ ...only, expiresAtMs: { $gt: nowMs } }, { $set: { isEndWanted: true } }),
    );
    return matchedCount > 0;
  }
}
