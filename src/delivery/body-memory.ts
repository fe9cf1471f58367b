/** What may lie ready: it is not charged to anybody's buffer. */
const MAX_READY_BYTES = 8 * 1_048_576;

/**
 * Blocks of memory for bodies, used again and again: large ones that come and go would make the garbage collector run
 * for them alone. There are eight sizes to each doubling, so that a block is hardly larger than what was asked for.
 */
export class BodyMemory {
  readonly #ready = new Map<number, Buffer[]>();
  #readyBytes = 0;

  take(minBytes: number): Buffer {
    const bytes = blockBytes(minBytes);
    const block = this.#ready.get(bytes)?.pop();
    if (!block) return Buffer.allocUnsafeSlow(bytes);
    this.#readyBytes -= bytes;
    return block;
  }

  /** Nobody may look at the block any more. */
  giveBack(block: Buffer): void {
    const bytes = block.length;
    if (this.#readyBytes + bytes > MAX_READY_BYTES) return;
    const sameSize = this.#ready.get(bytes);
    if (sameSize) sameSize.push(block);
    else this.#ready.set(bytes, [block]);
    this.#readyBytes += bytes;
  }
}

const MIN_BLOCK_BYTES = 4096;

/** The smallest size of a block that holds so many bytes. */
export function blockBytes(minBytes: number): number {
  if (minBytes <= MIN_BLOCK_BYTES) return MIN_BLOCK_BYTES;
  const step = 2 ** (Math.floor(Math.log2(minBytes)) - 3);
  return Math.ceil(minBytes / step) * step;
}
