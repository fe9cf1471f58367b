import type { Clock } from '../../kernel/clock.ts';
import type { Random } from '../../kernel/random.ts';
import { type Collection, DuplicateKey, type Store } from '../../store/contract.ts';

interface Turn {
  readonly name: string;
  readonly holder: string;
  readonly heldUntil: number;
}

/** A process that died in its turn holds up the others no longer than this. */
const LONGEST_TURN_MS = 10_000;
const WAIT_MS = 20;
const NOBODY = '';

export interface TurnsOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
}

/** Work that only one may do at a time, in whichever process: rules over several documents need it. */
export class Turns {
  readonly #collection: Collection<Turn>;
  readonly #clock: Clock;
  readonly #holder: string;
  /** In this process everybody stands in line; only its first asks the database. */
  readonly #lines = new Map<string, Promise<unknown>>();

  constructor({ store, clock, random }: TurnsOptions) {
    this.#collection = store.collection<Turn>({ name: 'turns', unique: [['name']], indexed: [] });
    this.#clock = clock;
    this.#holder = random.uuid();
  }

  take<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#lines.get(name) ?? Promise.resolve();
    const turn = before.then(() => this.#inTurn(name, work));
    this.#lines.set(
      name,
      turn.catch(() => {}),
    );
    return turn;
  }

  async #inTurn<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    while (!(await this.#claim(name))) await this.#clock.sleep(WAIT_MS);
    try {
      return await work();
    } finally {
      await this.#collection.change(
        { name, holder: this.#holder },
        { set: { holder: NOBODY, heldUntil: 0 } },
      );
    }
  }

  async #claim(name: string): Promise<boolean> {
    const now = this.#clock.now();
    const claim = { holder: this.#holder, heldUntil: now + LONGEST_TURN_MS };
    if (await this.#collection.change({ name, heldUntil: { atMost: now } }, { set: claim })) return true;
    if (await this.#collection.findOne({ name })) return false;
    try {
      await this.#collection.insert({ name, ...claim });
      return true;
    } catch (error) {
      if (error instanceof DuplicateKey) return false;
      throw error;
    }
  }
}
