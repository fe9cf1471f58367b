const INTERVAL_MS = 1000;

/** What a process really holds, looked at once a second after a collection (run with --expose-gc). */
export class MemoryWatch {
  readonly #heldBytes: number[] = [];
  #nextAtMs = 0;

  look(): void {
    if (performance.now() < this.#nextAtMs) return;
    this.#nextAtMs = performance.now() + INTERVAL_MS;
    globalThis.gc?.();
    const { heapUsed, external } = process.memoryUsage();
    this.#heldBytes.push(heapUsed + external);
  }

  /** From the middle of the first third to the middle of the last, by medians: a buffer that is full at one end does not count. */
  grownBytes(): number {
    const third = Math.max(1, Math.floor(this.#heldBytes.length / 3));
    return median(this.#heldBytes.slice(-third)) - median(this.#heldBytes.slice(0, third));
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[values.length >> 1] ?? 0;
}
