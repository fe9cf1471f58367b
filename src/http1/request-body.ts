import { ChunkedDecoder, type ChunkSink } from './chunked-decoder.ts';
import type { RequestBody } from './exchange.ts';
import type { BodyFraming } from './framing.ts';
import type { HeaderPairs } from './header-list.ts';
import type { InputBuffer } from './input-buffer.ts';
import type { Http1Limits } from './limits.ts';
import { Refusal } from './refusals.ts';

const NO_BYTES: Buffer = Buffer.alloc(0);
const MAX_CHUNK_SIZES_KEPT = 1024;

/** The body of a request that has none. */
export const noBody: RequestBody = Object.freeze({
  isPresent: false,
  declaredLength: undefined,
  framing: 'none',
  receivedLength: 0,
  trailers: [],
  chunkSizes: [],
  bytes: () => Promise.resolve(NO_BYTES),
  keeps: () => {},
  discard: () => Promise.resolve(),
  async *[Symbol.asyncIterator]() {},
});

/** What a body asks of its connection. */
export interface BodySource {
  /** Somebody reads now: send the awaited 100 (Continue). */
  onFirstRead(): void;
  /** There is room for more content. */
  onRoom(): void;
  /** Whether so much content, all in all, may be kept until the answer has left. */
  mayKeep(byteCount: number): boolean;
}

/**
 * A request body as it arrives. The connection lets it `receive` the input; a handler reads it. Content nobody reads
 * waits here, and the connection stops reading the socket when it becomes too much.
 */
export class IncomingBody implements RequestBody, ChunkSink {
  readonly isPresent = true;
  readonly declaredLength: number | undefined;
  readonly framing: 'length' | 'chunked';
  receivedLength = 0;
  trailers: HeaderPairs = [];
  readonly chunkSizes: number[] = [];
  /** Everything arrived, whether read or not. */
  isComplete = false;
  /** Content that arrived and was not read. */
  waitingBytes = 0;

  readonly #source: BodySource;
  readonly #decoder: ChunkedDecoder | undefined;
  #waiting: Buffer[] = [];
  #failure: Error | undefined = undefined;
  #isClaimed = false;
  #isForgetting = false;
  #isCollecting = false;
  #wake: (() => void) | undefined = undefined;

  constructor(framing: BodyFraming, limits: Http1Limits, isLenient: boolean, source: BodySource) {
    this.#source = source;
    if (framing.kind === 'length') {
      this.framing = 'length';
      this.declaredLength = framing.length;
      this.isComplete = framing.length === 0;
    } else {
      this.framing = 'chunked';
      this.#decoder = new ChunkedDecoder(limits, isLenient, this);
    }
  }

  /** Bytes that are known to be missing; a chunked body does not tell. */
  get missingBytes(): number {
    return this.declaredLength === undefined ? 0 : this.declaredLength - this.receivedLength;
  }

  /** Whether more may be read from the socket on behalf of this body. */
  hasRoom(maxUnreadBytes: number): boolean {
    return this.#isCollecting || this.waitingBytes < maxUnreadBytes;
  }

  /** Consumes what belongs to this body. Throws a Refusal when the chunked coding is broken. */
  receive(input: InputBuffer): void {
    if (this.#decoder !== undefined) {
      if (this.#decoder.decode(input)) {
        this.trailers = this.#decoder.trailers;
        this.isComplete = true;
      }
    } else if (input.length > 0) {
      this.onData(input.take(Math.min(this.missingBytes, input.length)));
      this.isComplete = this.missingBytes === 0;
    }
    this.#wakeReader();
  }

  onChunk(byteCount: number): void {
    if (this.chunkSizes.length < MAX_CHUNK_SIZES_KEPT) this.chunkSizes.push(byteCount);
  }

  onData(bytes: Buffer): void {
    this.receivedLength += bytes.length;
    if (this.#isForgetting) return;
    this.#waiting.push(bytes);
    this.waitingBytes += bytes.length;
  }

  /** The rest will not come. What came before it can still be read. */
  fail(failure: Error): void {
    if (this.isComplete) return;
    this.#failure ??= failure;
    this.#wakeReader();
  }

  /** Drops what waits and what is still to come. */
  forget(): void {
    this.#isForgetting = true;
    this.#waiting = [];
    this.waitingBytes = 0;
  }

  async bytes(maxBytes: number): Promise<Buffer> {
    this.#claim();
    this.#refuseLarger(maxBytes);
    this.#isCollecting = true;
    this.#announceRead();
    this.keeps(this.receivedLength);
    while (!this.isComplete) {
      if (this.#failure !== undefined) throw this.#failure;
      await this.#more();
      this.#refuseLarger(maxBytes);
      this.keeps(this.receivedLength);
    }
    const parts = this.#waiting;
    this.#waiting = [];
    this.waitingBytes = 0;
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }

  keeps(byteCount: number): void {
    if (this.#source.mayKeep(byteCount)) return;
    this.#isCollecting = false;
    throw new Refusal('too-much-content');
  }

  async discard(maxBytes: number): Promise<void> {
    this.#claim();
    this.#refuseLarger(maxBytes);
    this.forget();
    this.#announceRead();
    while (!this.isComplete) {
      if (this.#failure !== undefined) throw this.#failure;
      await this.#more();
      this.#refuseLarger(maxBytes);
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void> {
    this.#claim();
    this.#announceRead();
    for (;;) {
      const part = this.#waiting.shift();
      if (part !== undefined) {
        this.waitingBytes -= part.length;
        yield part;
      } else if (this.isComplete) {
        return;
      } else if (this.#failure !== undefined) {
        throw this.#failure;
      } else {
        await this.#more();
      }
    }
  }

  #claim(): void {
    if (this.#isClaimed) throw new Error('the request body was already read');
    this.#isClaimed = true;
  }

  #announceRead(): void {
    if (!this.isComplete) this.#source.onFirstRead();
  }

  #refuseLarger(maxBytes: number): void {
    if (Math.max(this.receivedLength, this.declaredLength ?? 0) <= maxBytes) return;
    this.#isCollecting = false;
    throw new Refusal('body-too-large', { maxBytes });
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
