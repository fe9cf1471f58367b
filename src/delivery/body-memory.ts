import { EventMarks } from './event-marks.ts';

/** What may lie ready: it is not charged to anybody's buffer. */
const MAX_READY_BYTES = 8 * 1_048_576;

/** Memory for a body, with the marks of the events in it. */
export interface Block {
  readonly bytes: Buffer;
  readonly marks: EventMarks;
}

/**
 * Blocks for bodies, used again and again: large ones that come and go would make the garbage collector run for them
 * alone, and marks that come and go grow old while a target is slow. There are eight sizes to each doubling, so that a
 * block is hardly larger than what was asked for.
 */
export class BodyMemory {
  readonly #ready = new Map<number, Block[]>();
  #readyBytes = 0;

  take(minBytes: number): Block {
    const size = blockBytes(minBytes);
    const block = this.#ready.get(size)?.pop();
    if (!block) return { bytes: Buffer.allocUnsafeSlow(size), marks: new EventMarks() };
    this.#readyBytes -= size;
    return block;
  }

  /** Nobody may look at the block any more. */
  giveBack(block: Block): void {
    const size = block.bytes.length;
    if (this.#readyBytes + size > MAX_READY_BYTES) return;
    block.marks.clear();
    const sameSize = this.#ready.get(size);
    if (sameSize) sameSize.push(block);
    else this.#ready.set(size, [block]);
    this.#readyBytes += size;
  }
}

const MIN_BLOCK_BYTES = 4096;

/** The smallest size of a block that holds so many bytes. */
export function blockBytes(minBytes: number): number {
  if (minBytes <= MIN_BLOCK_BYTES) return MIN_BLOCK_BYTES;
  const step = 2 ** (Math.floor(Math.log2(minBytes)) - 3);
  return Math.ceil(minBytes / step) * step;
}
