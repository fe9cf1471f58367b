import type { Clock } from '../../kernel/clock.ts';

export interface JournalBounds {
  readonly maxIds: number;
  readonly maxEntriesPerId: number;
  /** Raw heads of all journals together. */
  readonly maxBytes: number;
}

const DEFAULT_BOUNDS: JournalBounds = {
  maxIds: 1000,
  maxEntriesPerId: 100,
  maxBytes: 16 * 1024 * 1024,
};

export interface Arrival {
  readonly method: string;
  readonly target: string;
  readonly httpVersion: string;
  readonly connectionId: string;
  readonly requestNo: number;
  readonly peer: string;
  /** The head as it came over the wire, one character per byte. */
  readonly rawHead: string;
  readonly bodyFraming: string;
  /** As declared; null when only the end of the body will tell. */
  readonly bodyLength: number | null;
}

export interface JournalEntry extends Arrival {
  /** The first request of a journal is 1; dropped ones count. */
  readonly no: number;
  readonly atMs: number;
}

export interface JournalView {
  readonly id: string;
  /** All requests ever recorded under this id. */
  readonly count: number;
  /** Those of them no longer kept. */
  readonly dropped: number;
  readonly entries: readonly JournalEntry[];
}

/** What arrived, by the id the client chose. Bounded in every direction: the oldest makes room and is counted. */
export class Journal {
  // A Map keeps the order of its keys; recording sets a key anew, so the first is always the one idle longest.
  readonly #entriesById = new Map<string, { count: number; entries: JournalEntry[] }>();
  readonly #clock: Clock;
  readonly #bounds: JournalBounds;
  #bytes = 0;
  #droppedIds = 0;

  constructor(clock: Clock, bounds: JournalBounds = DEFAULT_BOUNDS) {
    this.#clock = clock;
    this.#bounds = bounds;
  }

  record(id: string, arrival: Arrival): void {
    const journal = this.#entriesById.get(id) ?? { count: 0, entries: [] };
    this.#entriesById.delete(id);
    this.#entriesById.set(id, journal);
    journal.count++;
    journal.entries.push({ no: journal.count, atMs: this.#clock.now(), ...arrival });
    this.#bytes += arrival.rawHead.length;
    this.#makeRoom(journal);
  }

  read(id: string): JournalView | undefined {
    const journal = this.#entriesById.get(id);
    if (!journal) return undefined;
    const { count, entries } = journal;
    return { id, count, dropped: count - entries.length, entries };
  }

  list(): { droppedIds: number; bytes: number; journals: Array<{ id: string; count: number }> } {
    const journals = [...this.#entriesById].map(([id, { count }]) => ({ id, count }));
    return { droppedIds: this.#droppedIds, bytes: this.#bytes, journals };
  }

  forget(id: string): boolean {
    const journal = this.#entriesById.get(id);
    if (!journal) return false;
    for (const { rawHead } of journal.entries) this.#bytes -= rawHead.length;
    return this.#entriesById.delete(id);
  }

  #makeRoom(current: { entries: JournalEntry[] }): void {
    const { maxIds, maxEntriesPerId, maxBytes } = this.#bounds;
    if (current.entries.length > maxEntriesPerId) this.#dropOldest(current);
    for (const [id, journal] of this.#entriesById) {
      const isFull = this.#entriesById.size > maxIds || this.#bytes > maxBytes;
      if (!isFull || journal === current) break;
      this.forget(id);
      this.#droppedIds++;
    }
    while (this.#bytes > maxBytes) this.#dropOldest(current);
  }

  #dropOldest({ entries }: { entries: JournalEntry[] }): void {
    this.#bytes -= entries.shift()!.rawHead.length;
  }
}
