import { CR, isTokenCode, LF } from './characters.ts';
import { type ParsedHead, parseHead, parseHeadLines } from './head-parser.ts';
import type { InputBuffer } from './input-buffer.ts';
import { parseHeadLeniently } from './lenient-head.ts';
import type { Http1Limits } from './limits.ts';
import { Refusal } from './refusals.ts';

const HEAD_END_TEXT = '\r\n\r\n';
const HEAD_END = Buffer.from(HEAD_END_TEXT, 'latin1');
const MAX_SHORT_BYTES = 2048;

/**
 * Finds the head at the beginning of the input once it is all there. Bytes searched before are not searched again,
 * so a head that comes byte by byte costs no more than one that comes at once.
 */
export class HeadReader {
  readonly #limits: Http1Limits;
  readonly #isLenient: boolean;
  #searchedBytes = 0;
  #emptyLineCount = 0;
  /** The head before this one, if it came in a chunk of its own. */
  #last: ReadHead | undefined = undefined;

  constructor(limits: Http1Limits, isLenient: boolean) {
    this.#limits = limits;
    this.#isLenient = isLenient;
  }

  /** Consumes the head and gives it back, or gives undefined until more bytes came. Throws a Refusal. */
  read(input: InputBuffer): ReadHead | undefined {
    this.#skipEmptyLines(input);
    const { bytes, start, end } = input;
    if (start === end) return undefined;

    if (!this.#isLenient && end - start <= MAX_SHORT_BYTES && this.#searchedBytes === 0) {
      const head = this.#readShort(input);
      if (head !== undefined) return head;
    }
    const headEnd = this.#isLenient ? this.#findEndLeniently(input) : this.#findEnd(input);
    if (headEnd < 0 || headEnd - start > this.#limits.maxHeadBytes) {
      this.#checkUnfinished(input);
      this.#searchedBytes = end - start;
      return undefined;
    }

    const text = bytes.toString('latin1', start, headEnd);
    const parsed = this.#isLenient ? parseHeadLeniently(text, this.#limits) : parseHead(text, this.#limits);
    return this.#taken(input, parsed, headEnd);
  }

  /**
   * Most heads come whole and alone. Then making the text first and searching in it is the shortest way, unless the
   * client repeats itself to the byte, as those do that poll: then the head before is the head.
   */
  #readShort(input: InputBuffer): ReadHead | undefined {
    const { bytes, start, end } = input;
    if (this.#last !== undefined && start === 0 && end === this.#last.end && bytes.equals(this.#last.bytes))
      return this.#taken(input, this.#last.parsed, end);
    const text = bytes.toString('latin1', start, end);
    const length = text.indexOf(HEAD_END_TEXT) + HEAD_END_TEXT.length;
    if (length < HEAD_END_TEXT.length || length > this.#limits.maxHeadBytes) return undefined;
    const head = length === text.length ? text : bytes.toString('latin1', start, start + length);
    const read = this.#taken(input, parseHead(head, this.#limits), start + length);
    this.#last = start === 0 && read.end === bytes.length ? read : undefined;
    return read;
  }

  #taken(input: InputBuffer, parsed: ParsedHead, headEnd: number): ReadHead {
    const { bytes, start } = input;
    input.skip(headEnd - start);
    this.#searchedBytes = 0;
    this.#emptyLineCount = 0;
    return { parsed, bytes, start, end: headEnd };
  }

  // RFC 9112 §2.2: old clients send a line break too many after a body.
  #skipEmptyLines(input: InputBuffer): void {
    while (input.length > 0) {
      const first = input.bytes[input.start];
      const isLoneLf = this.#isLenient && first === LF;
      if (!isLoneLf && !(first === CR && input.bytes[input.start + 1] === LF && input.length > 1)) return;
      if (++this.#emptyLineCount > this.#limits.maxLeadingEmptyLines)
        throw new Refusal('request-line-invalid');
      input.skip(isLoneLf ? 1 : 2);
      this.#searchedBytes = 0;
    }
  }

  #findEnd(input: InputBuffer): number {
    const overlap = HEAD_END.length - 1;
    const found = input.indexOf(HEAD_END, input.start + Math.max(0, this.#searchedBytes - overlap));
    return found < 0 ? -1 : found + HEAD_END.length;
  }

  /** Any line break directly after a line break ends a head. */
  #findEndLeniently(input: InputBuffer): number {
    const { bytes, start, end } = input;
    let at = start + Math.max(0, this.#searchedBytes - 2);
    for (;;) {
      const lf = input.indexOf(LF, at);
      if (lf < 0) return -1;
      if (lf + 1 < end && bytes[lf + 1] === LF) return lf + 2;
      if (lf + 2 < end && bytes[lf + 1] === CR && bytes[lf + 2] === LF) return lf + 3;
      at = lf + 1;
    }
  }

  /** What can be told of a head before its end is refused at once, instead of letting the client wait for a timeout. */
  #checkUnfinished(input: InputBuffer): void {
    const { maxHeadBytes } = this.#limits;
    if (!this.#isLenient) this.#checkLines(input, Math.min(input.end, input.start + maxHeadBytes));
    if (input.length > maxHeadBytes) throw this.#tooLarge(input);
  }

  /** What is wrong first counts, so that the verdict does not depend on how the bytes were cut. */
  #checkLines(input: InputBuffer, to: number): void {
    const { bytes, start } = input;
    const first = bytes[start]!;
    if (isTokenCode[first] !== 1 && first !== CR && first !== LF) throw new Refusal('method-invalid');
    let at = start + this.#searchedBytes;
    for (;;) {
      const lf = input.indexOf(LF, at);
      if (lf < 0 || lf >= to) return;
      if (lf === start || bytes[lf - 1] !== CR) {
        parseHeadLines(bytes.toString('latin1', start, lf + 1), lf + 1 - start, this.#limits);
        throw new Refusal('bare-lf');
      }
      at = lf + 1;
    }
  }

  /** A head is too large by its target when the request line alone would not fit. */
  #tooLarge(input: InputBuffer): Refusal {
    const lineEnd = input.indexOf(LF, input.start);
    const lineBytes = (lineEnd < 0 ? input.end : lineEnd) - input.start;
    const { maxTargetBytes, maxHeadBytes } = this.#limits;
    return lineBytes > maxTargetBytes
      ? new Refusal('target-too-long', { maxBytes: maxTargetBytes })
      : new Refusal('head-too-large', { maxBytes: maxHeadBytes });
  }
}

export interface ReadHead {
  readonly parsed: ParsedHead;
  /** The head stands from `start` to `end` of these bytes. */
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}
