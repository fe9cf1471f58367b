import type { HeaderPairs } from '../header-list.ts';
import type { AnswerStream } from './client-answer.ts';

/** What a stream asks of its connection. */
export interface StreamSource {
  /** There is room for more content. */
  onRoom(): void;
  /** Nobody reads on. */
  onCancel(): void;
}

/** The body of an answer for a reader that takes it as it comes. Content nobody has read yet waits here. */
export class BodyStream implements AnswerStream {
  trailers: HeaderPairs = [];
  waitingBytes = 0;
  readonly #source: StreamSource;
  #waiting: Buffer[] = [];
  #isOver = false;
  #isClaimed = false;
  #failure: Error | undefined = undefined;
  #wake: (() => void) | undefined = undefined;

  constructor(source: StreamSource) {
    this.#source = source;
  }

  add(bytes: Buffer): void {
    this.#waiting.push(bytes);
    this.waitingBytes += bytes.length;
    this.#wakeReader();
  }

  complete(trailers: HeaderPairs): void {
    this.trailers = trailers;
    this.#isOver = true;
    this.#wakeReader();
  }

  /** The rest will not come. What came before it can still be read. */
  fail(failure: Error): void {
    if (this.#isOver) return;
    this.#failure ??= failure;
    this.#wakeReader();
  }

  cancel(): void {
    this.#waiting = [];
    this.waitingBytes = 0;
    if (!this.#isOver && this.#failure === undefined) this.#source.onCancel();
    this.#isOver = true;
    this.#wakeReader();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void> {
    if (this.#isClaimed) throw new Error('the body of the answer was already read');
    this.#isClaimed = true;
    let isReadToEnd = false;
    try {
      for (;;) {
        const part = this.#waiting.shift();
        if (part !== undefined) {
          this.waitingBytes -= part.length;
          yield part;
        } else if (this.#isOver) {
          isReadToEnd = true;
          return;
        } else if (this.#failure !== undefined) {
          throw this.#failure;
        } else {
          await this.#more();
        }
      }
    } finally {
      if (!isReadToEnd) this.cancel();
    }
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      this.#source.onRoom();
    });
  }

  #wakeReader(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}
