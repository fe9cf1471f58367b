import { isUtf8 } from 'node:buffer';

const EMPTY: Buffer = Buffer.alloc(0);

/** Checks text that comes in pieces, which may be cut within a character. */
export class Utf8Check {
  /** A character whose end has not come yet. */
  #unfinished: Buffer = EMPTY;

  /** False as soon as no continuation could make it valid. */
  accepts(piece: Buffer, isLast: boolean): boolean {
    const text = this.#unfinished.length === 0 ? piece : Buffer.concat([this.#unfinished, piece]);
    const unfinishedAt = isLast ? text.length : startOfUnfinished(text);
    this.#unfinished = text.subarray(unfinishedAt);
    return isUtf8(text.subarray(0, unfinishedAt)) && canBecomeCharacter(this.#unfinished);
  }
}

/** Where the last character begins when bytes of it are missing; otherwise the end of the text. */
function startOfUnfinished(text: Buffer): number {
  const earliest = Math.max(0, text.length - 3);
  for (let index = text.length - 1; index >= earliest; index--) {
    const byte = text[index]!;
    if (byte < 0x80) break;
    if (byte >= 0xc0) return index + bytesOfCharacter(byte) > text.length ? index : text.length;
  }
  return text.length;
}

function bytesOfCharacter(lead: number): number {
  if (lead >= 0xf0) return 4;
  return lead >= 0xe0 ? 3 : 2;
}

/** The smallest and the largest continuation decide: one of them is valid when any is. */
function canBecomeCharacter(start: Buffer): boolean {
  if (start.length === 0) return true;
  const missing = bytesOfCharacter(start[0]!) - start.length;
  return [0x80, 0xbf].some((byte) => isUtf8(Buffer.concat([start, Buffer.alloc(missing, byte)])));
}
