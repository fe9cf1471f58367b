const NO_BYTES: Buffer = Buffer.alloc(0);

/** Collects the body of an answer up to a bound, and counts what comes behind it. */
export class WholeBody {
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #keptBytes = 0;
  /** What came and was not kept. */
  droppedBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(bytes: Buffer): void {
    const room = this.#maxBytes - this.#keptBytes;
    const kept = bytes.length <= room ? bytes : bytes.subarray(0, room);
    if (kept.length > 0) this.#parts.push(kept);
    this.#keptBytes += kept.length;
    this.droppedBytes += bytes.length - kept.length;
  }

  take(): Buffer {
    const parts = this.#parts;
    this.#parts = [];
    if (parts.length === 0) return NO_BYTES;
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }
}
