import { ChunkedDecoder, type ChunkSink } from '../chunked-decoder.ts';
import type { HeaderPairs } from '../header-list.ts';
import type { InputBuffer } from '../input-buffer.ts';
import type { Http1Limits } from '../limits.ts';
import type { AnswerFraming } from './answer-meaning.ts';

const NO_TRAILERS: HeaderPairs = [];

/** Takes the framing off a body as it arrives, and hands its content on in the very buffers it came in. */
export class AnswerBody implements ChunkSink {
  readonly #onContent: (bytes: Buffer) => void;
  readonly #decoder: ChunkedDecoder | undefined;
  readonly #lastsUntilClose: boolean;
  /** Known to be missing; a body in chunks, or until the close, does not tell. */
  missingBytes = 0;

  constructor(framing: AnswerFraming, limits: Http1Limits, onContent: (bytes: Buffer) => void) {
    this.#onContent = onContent;
    this.#decoder = framing.kind === 'chunked' ? new ChunkedDecoder(limits, false, this) : undefined;
    this.#lastsUntilClose = framing.kind === 'close';
    if (framing.kind === 'length') this.missingBytes = framing.length;
  }

  get trailers(): HeaderPairs {
    return this.#decoder?.trailers ?? NO_TRAILERS;
  }

  /** Consumes what belongs to the body; true once it is complete. Throws a Refusal when the chunked coding is broken. */
  receive(input: InputBuffer): boolean {
    if (this.#decoder !== undefined) return this.#decoder.decode(input);
    if (this.#lastsUntilClose) {
      if (input.length > 0) this.#onContent(input.takeAll());
      return false;
    }
    if (input.length > 0 && this.missingBytes > 0) {
      const bytes = input.take(Math.min(this.missingBytes, input.length));
      this.missingBytes -= bytes.length;
      this.#onContent(bytes);
    }
    return this.missingBytes === 0;
  }

  onChunk(): void {}

  onData(bytes: Buffer): void {
    this.#onContent(bytes);
  }
}
