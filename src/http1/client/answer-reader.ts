import type { HeaderPairs } from '../header-list.ts';
import type { InputBuffer } from '../input-buffer.ts';
import type { Http1Limits } from '../limits.ts';
import { AnswerBody } from './answer-body.ts';
import type { AnswerHead } from './answer-head.ts';
import { AnswerHeadReader } from './answer-head-reader.ts';
import { type AnswerMeaning, meaningOfAnswer } from './answer-meaning.ts';
import { InvalidAnswer } from './invalid-answer.ts';

const MAX_INTERIM_ANSWERS = 32;
const NO_TRAILERS: HeaderPairs = [];

/** Takes the content of an answer. */
export interface ContentSink {
  add(bytes: Buffer): void;
}

/** Reads the answers of one connection, one after the other: interim heads, the head, the body. */
export class AnswerReader {
  readonly #limits: Http1Limits;
  readonly #headReader: AnswerHeadReader;
  #interimCount = 0;
  #body: AnswerBody | undefined = undefined;
  /** Known once the head is there. */
  meaning: AnswerMeaning | undefined = undefined;

  constructor(limits: Http1Limits) {
    this.#limits = limits;
    this.#headReader = new AnswerHeadReader(limits);
  }

  /** Another answer is awaited. */
  reset(): void {
    this.#interimCount = 0;
    this.#body = undefined;
    this.meaning = undefined;
  }

  get hasBegun(): boolean {
    return this.meaning !== undefined || this.#interimCount > 0;
  }

  /** Known to be missing; a body in chunks, or until the close, does not tell. */
  get missingBytes(): number {
    return this.#body?.missingBytes ?? 0;
  }

  get trailers(): HeaderPairs {
    return this.#body?.trailers ?? NO_TRAILERS;
  }

  /** The target closed its half: true when that is the end of the answer and not of the connection only. */
  get isEndedByClose(): boolean {
    return this.meaning?.framing.kind === 'close';
  }

  /** Consumes heads up to the final one, or gives undefined until more bytes came. Throws a Refusal or an InvalidAnswer. */
  readHead(input: InputBuffer, isHeadRequest: boolean): AnswerHead | undefined {
    for (;;) {
      const head = this.#headReader.read(input);
      if (head === undefined) return undefined;
      if (head.status >= 200) {
        this.meaning = meaningOfAnswer(head, isHeadRequest);
        return head;
      }
      this.#skipInterim(head);
    }
  }

  /** To be called between head and body. */
  sendContentTo(sink: ContentSink): void {
    const { framing } = this.meaning!;
    if (framing.kind === 'none') return;
    this.#body = new AnswerBody(framing, this.#limits, (bytes) => sink.add(bytes));
  }

  /** Consumes what belongs to the body; true once it is complete. Throws a Refusal. */
  readBody(input: InputBuffer): boolean {
    return this.#body === undefined || this.#body.receive(input);
  }

  /** RFC 9110 §15.2: they may come at any time, and a client may ignore them. */
  #skipInterim({ status }: AnswerHead): void {
    if (status === 101) throw new InvalidAnswer('switching-unasked');
    if (++this.#interimCount > MAX_INTERIM_ANSWERS) throw new InvalidAnswer('too-many-interim-answers');
  }
}
