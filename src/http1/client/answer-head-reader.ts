import { CR, LF } from '../characters.ts';
import type { InputBuffer } from '../input-buffer.ts';
import type { Http1Limits } from '../limits.ts';
import { Refusal } from '../refusals.ts';
import { type AnswerHead, parseAnswerHead, parseStatusLine } from './answer-head.ts';
import { InvalidAnswer } from './invalid-answer.ts';

const HEAD_END = Buffer.from('\r\n\r\n', 'latin1');
const BEGINNING = Buffer.from('HTTP/', 'latin1');

/**
 * Finds the head at the beginning of the input once it is all there. Bytes searched before are not searched again.
 * What can be told of a head before its end is refused at once, and with the same verdict however the bytes were cut.
 */
export class AnswerHeadReader {
  readonly #limits: Http1Limits;
  #searchedBytes = 0;
  #isStatusLineChecked = false;

  constructor(limits: Http1Limits) {
    this.#limits = limits;
  }

  /** Consumes the head and gives it back, or gives undefined until more bytes came. Throws a Refusal or an InvalidAnswer. */
  read(input: InputBuffer): AnswerHead | undefined {
    const { bytes, start, end } = input;
    const from = start + Math.max(0, this.#searchedBytes - (HEAD_END.length - 1));
    const found = input.indexOf(HEAD_END, from);
    const headEnd = found + HEAD_END.length;
    if (found < 0 || headEnd - start > this.#limits.maxHeadBytes) {
      this.#checkUnfinished(input);
      this.#searchedBytes = end - start;
      return undefined;
    }
    const text = bytes.toString('latin1', start, headEnd);
    const head = parseAnswerHead(text, text.length - 2, this.#limits);
    input.skip(headEnd - start);
    this.#searchedBytes = 0;
    this.#isStatusLineChecked = false;
    return head;
  }

  #checkUnfinished(input: InputBuffer): void {
    const { maxHeadBytes } = this.#limits;
    checkBeginning(input);
    this.#checkLines(input, Math.min(input.end, input.start + maxHeadBytes));
    if (input.length > maxHeadBytes) throw new Refusal('head-too-large', { maxBytes: maxHeadBytes });
  }

  /** What is wrong first counts. */
  #checkLines(input: InputBuffer, to: number): void {
    const { bytes, start } = input;
    let at = start + this.#searchedBytes;
    for (;;) {
      const lf = input.indexOf(LF, at);
      if (lf < 0 || lf >= to) return;
      if (!this.#isStatusLineChecked) {
        parseStatusLine(bytes.toString('latin1', start, lf + 1));
        this.#isStatusLineChecked = true;
      }
      if (bytes[lf - 1] !== CR) {
        parseAnswerHead(bytes.toString('latin1', start, lf + 1), lf + 1 - start, this.#limits);
        throw new Refusal('bare-lf');
      }
      at = lf + 1;
    }
  }
}

/** Told by the first bytes, so that nobody waits for the head of something that is no answer. */
function checkBeginning(input: InputBuffer): void {
  const { bytes, start } = input;
  const byteCount = Math.min(input.length, BEGINNING.length);
  if (bytes.compare(BEGINNING, 0, byteCount, start, start + byteCount) !== 0) {
    throw new InvalidAnswer('status-line-invalid');
  }
}
