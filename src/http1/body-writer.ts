import { type BodyWriter, ClientGone } from './exchange.ts';
import type { HeaderPairs } from './header-list.ts';
import type { Output } from './output.ts';
import { type AnswerHead, composeTrailers } from './response-head.ts';

/** What becomes of the connection when the body ended. */
export interface BodyEnd {
  /** The answer is whole. */
  onEnd(closes: boolean): void;
  /** The answer was broken off. */
  onAbort(): void;
}

/** Writes the body of an answer whose head was held back to leave with the first bytes. */
export class AnswerBodyWriter implements BodyWriter {
  readonly isDiscarding: boolean;
  readonly #output: Output;
  readonly #head: AnswerHead;
  readonly #bodyEnd: BodyEnd;
  #writtenBytes = 0;
  #isOver = false;

  constructor(output: Output, head: AnswerHead, bodyEnd: BodyEnd) {
    this.#output = output;
    this.#head = head;
    this.#bodyEnd = bodyEnd;
    this.isDiscarding = head.framing === 'none';
    output.hold(head.text);
  }

  write(chunk: string | Uint8Array): Promise<void> | undefined {
    if (this.#output.isGone) return Promise.reject(new ClientGone());
    if (this.#isOver) throw new Error('the answer is over');
    if (this.isDiscarding || chunk.length === 0) return undefined;
    if (typeof chunk === 'string' && Buffer.byteLength(chunk) === chunk.length) {
      this.#count(chunk.length);
      // Short texts written in one turn of the event loop leave in one system call.
      this.#output.hold(this.#head.framing === 'chunked' ? `${sizeLine(chunk.length)}${chunk}\r\n` : chunk);
    } else {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      this.#count(bytes.length);
      if (this.#head.framing === 'chunked') this.#output.writeBytes(sizeLine(bytes.length), bytes, '\r\n');
      else this.#output.writeBytes('', bytes, '');
    }
    return this.#output.untilRoom();
  }

  async end(trailers: HeaderPairs = []): Promise<void> {
    if (this.#output.isGone) throw new ClientGone();
    if (this.#isOver) return;
    const { framing, length, closes } = this.#head;
    // A body that the close ends is for a client of HTTP/1.0, which knows no trailers and gets none.
    if (trailers.length > 0 && framing === 'length') {
      throw new Error('trailers need an answer framed in chunks');
    }
    const trailerText = composeTrailers(trailers);
    if (framing === 'length' && this.#writtenBytes !== length) {
      this.abort();
      throw new Error(`Content-Length said ${length} and the body had ${this.#writtenBytes} bytes`);
    }
    this.#isOver = true;
    const written = this.#output.writeLast(framing === 'chunked' ? `0\r\n${trailerText}` : '');
    this.#bodyEnd.onEnd(closes);
    return written;
  }

  abort(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#bodyEnd.onAbort();
  }

  #count(byteCount: number): void {
    const { framing, length } = this.#head;
    if (framing === 'length' && this.#writtenBytes + byteCount > length!) {
      throw new Error(`the body is longer than its Content-Length of ${length}`);
    }
    this.#writtenBytes += byteCount;
  }
}

function sizeLine(byteCount: number): string {
  return `${byteCount.toString(16)}\r\n`;
}
