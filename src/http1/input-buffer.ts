const SMALLEST_STORE_BYTES = 1024;
const NO_BYTES: Buffer = Buffer.alloc(0);

/**
 * Bytes that arrived and are not consumed yet. A chunk that is consumed before the next one comes is never copied;
 * leftovers grow in a store that doubles. Bytes once stored are never overwritten, so slices stay valid for ever.
 */
export class InputBuffer {
  bytes: Buffer = NO_BYTES;
  start = 0;
  end = 0;
  #hasRoomBehind = false;

  get length(): number {
    return this.end - this.start;
  }

  append(chunk: Buffer): void {
    if (this.start === this.end) {
      this.bytes = chunk;
      this.start = 0;
      this.end = chunk.length;
      this.#hasRoomBehind = false;
      return;
    }
    if (!this.#hasRoomBehind || this.bytes.length - this.end < chunk.length)
      this.#moveToLargerStore(chunk.length);
    chunk.copy(this.bytes, this.end);
    this.end += chunk.length;
  }

  /** Where the needle first stands at or behind `from`, or -1. Positions count in `bytes`. */
  indexOf(needle: number | Buffer, from: number): number {
    // The room behind the end holds bytes of nobody, which must be neither found nor searched.
    const bytes = this.#hasRoomBehind ? this.bytes.subarray(0, this.end) : this.bytes;
    return bytes.indexOf(needle, from);
  }

  /** Consumes without copying. */
  take(byteCount: number): Buffer {
    const from = this.start;
    this.start += byteCount;
    return this.bytes.subarray(from, this.start);
  }

  skip(byteCount: number): void {
    this.start += byteCount;
  }

  takeAll(): Buffer {
    const all = this.take(this.length);
    this.clear();
    return all;
  }

  clear(): void {
    this.bytes = NO_BYTES;
    this.start = 0;
    this.end = 0;
    this.#hasRoomBehind = false;
  }

  #moveToLargerStore(extraBytes: number): void {
    const { length } = this;
    const store = Buffer.allocUnsafe(Math.max(SMALLEST_STORE_BYTES, (length + extraBytes) * 2));
    this.bytes.copy(store, 0, this.start, this.end);
    this.bytes = store;
    this.start = 0;
    this.end = length;
    this.#hasRoomBehind = true;
  }
}
