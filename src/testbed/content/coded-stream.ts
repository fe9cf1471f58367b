import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BodyWriter } from '../../http1/exchange.ts';
import { type Coding, newEncoder } from './codings.ts';

const BLOCK_BYTES = 64 * 1024;

/**
 * Codes a long content while it is sent: never more of it in memory than a few blocks, however slow the client.
 * Gives back how many coded bytes were written.
 */
export async function writeCoded(coding: Coding, blocks: Iterable<Buffer>, out: BodyWriter): Promise<number> {
  let codedLength = 0;
  const send = async (pieces: Iterable<Buffer> | AsyncIterable<Buffer>) => {
    for await (const piece of pieces) {
      codedLength += piece.length;
      await out.write(piece);
    }
  };
  if (coding === 'identity') await send(blocks);
  else await pipeline(Readable.from(blocks), newEncoder(coding).encoder, send);
  return codedLength;
}

/** The same byte over and over: what shrinks most. */
export function* uniformBlocks(size: number, byte = 0): Generator<Buffer> {
  const block = Buffer.alloc(Math.min(BLOCK_BYTES, size), byte);
  for (let left = size; left > 0; left -= block.length) yield block.subarray(0, Math.min(left, block.length));
}

/**
 * Text of any length that depends on nothing but that length: blocks of a-z, each beginning with its own offset
 * in 16 decimal digits, so that a lost or repeated block cannot go unnoticed.
 */
export function* deterministicBlocks(size: number): Generator<Buffer> {
  const template = Buffer.from(Array.from({ length: BLOCK_BYTES }, (_, index) => 0x61 + (index % 26)));
  for (let offset = 0; offset < size; offset += BLOCK_BYTES) {
    const block = Buffer.from(template.subarray(0, Math.min(BLOCK_BYTES, size - offset)));
    block.write(String(offset).padStart(16, '0'), 'latin1');
    yield block;
  }
}

// About a millisecond of hashing, after which others get their turn.
const BLOCKS_PER_TURN = 16;

/** The SHA-256 of a long content, without keeping others waiting for it. */
export async function sha256OfBlocks(blocks: Iterable<Buffer>): Promise<string> {
  const hash = createHash('sha256');
  let count = 0;
  for (const block of blocks) {
    hash.update(block);
    if (++count % BLOCKS_PER_TURN === 0) await nextTurn();
  }
  return hash.digest('hex');
}
