/**
 * How much request content the exchanges of a process may keep in memory together. Each has a bound of its own, but
 * enough large ones at once would still be more than the process has.
 */
export class ContentBudget {
  readonly #maxBytes: number;
  #takenBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get takenBytes(): number {
    return this.#takenBytes;
  }

  /** False, and nothing is taken, when less is left. */
  take(byteCount: number): boolean {
    if (this.#takenBytes + byteCount > this.#maxBytes) return false;
    this.#takenBytes += byteCount;
    return true;
  }

  giveBack(byteCount: number): void {
    this.#takenBytes -= byteCount;
  }
}

/** What one exchange has of the budget. Small content is free, so that large bodies never crowd out the usual ones. */
export class ContentShare {
  readonly #budget: ContentBudget | undefined;
  readonly #freeBytes: number;
  #takenBytes = 0;

  constructor(budget: ContentBudget | undefined, freeBytes: number) {
    this.#budget = budget;
    this.#freeBytes = freeBytes;
  }

  /** Whether the exchange may keep so much in all; what it lacks is taken from the budget as the content comes. */
  covers(byteCount: number): boolean {
    const missingBytes = byteCount - this.#freeBytes - this.#takenBytes;
    if (this.#budget === undefined || missingBytes <= 0) return true;
    if (!this.#budget.take(missingBytes)) return false;
    this.#takenBytes += missingBytes;
    return true;
  }

  release(): void {
    if (this.#takenBytes === 0) return;
    this.#budget?.giveBack(this.#takenBytes);
    this.#takenBytes = 0;
  }
}
