import { EngineError } from './engine-error.ts';

/** Bounds the documents that are in memory at once: beyond it a write is sent away, to come again later. */
export class WriteGate {
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Runs the write when there is room for its bytes. One alone always has room. */
  async pass<Result>(bytes: number, write: () => Promise<Result>): Promise<Result> {
    if (this.#bytes > 0 && this.#bytes + bytes > this.#maxBytes)
      throw new EngineError(
        429,
        'rejected_execution_exception',
        `rejected execution of a write of ${bytes} bytes: ${this.#bytes} of at most ${this.#maxBytes} bytes are being written`,
      );
    this.#bytes += bytes;
    try {
      return await write();
    } finally {
      this.#bytes -= bytes;
    }
  }
}
