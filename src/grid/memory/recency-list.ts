export interface ListedEntry<Entry> {
  older: Entry | undefined;
  newer: Entry | undefined;
}

/** Entries in the order of their last use. The links stand in the entries themselves. */
export class RecencyList<Entry extends ListedEntry<Entry>> {
  #oldest: Entry | undefined;
  #newest: Entry | undefined;

  get oldest(): Entry | undefined {
    return this.#oldest;
  }

  add(entry: Entry): void {
    const newest = this.#newest;
    entry.older = newest;
    if (newest) newest.newer = entry;
    else this.#oldest = entry;
    this.#newest = entry;
  }

  touch(entry: Entry): void {
    if (entry === this.#newest) return;
    this.remove(entry);
    this.add(entry);
  }

  remove(entry: Entry): void {
    const { older, newer } = entry;
    if (older) older.newer = newer;
    else this.#oldest = newer;
    if (newer) newer.older = older;
    else this.#newest = older;
    entry.older = undefined;
    entry.newer = undefined;
  }

  clear(): void {
    this.#oldest = undefined;
    this.#newest = undefined;
  }
}
