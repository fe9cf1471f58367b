import type { ServerHttp2Stream } from 'node:http2';
import type { ContentShare } from '../../http1/content-budget.ts';
import { ClientGone, type RequestBody } from '../../http1/exchange.ts';
import type { HeaderPairs } from '../../http1/header-list.ts';
import { Refusal } from '../../http1/refusals.ts';

/** The content of an HTTP/2 request. */
export class Http2Body implements RequestBody {
  readonly isPresent: boolean;
  readonly declaredLength: number | undefined;
  readonly framing: 'none' | 'stream';
  readonly chunkSizes: readonly number[] = [];
  receivedLength = 0;
  trailers: HeaderPairs = [];
  readonly #stream: ServerHttp2Stream;
  readonly #content: ContentShare;

  constructor(
    stream: ServerHttp2Stream,
    declaredLength: number | undefined,
    isPresent: boolean,
    content: ContentShare,
  ) {
    this.#stream = stream;
    this.#content = content;
    stream.once('close', () => content.release());
    this.isPresent = isPresent;
    this.declaredLength = declaredLength;
    this.framing = isPresent ? 'stream' : 'none';
    stream.on('trailers', (_headers, _flags, rawTrailers: string[] = []) => {
      this.trailers = rawTrailers;
    });
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    if (!this.isPresent) return;
    try {
      for await (const chunk of this.#stream.iterator({ destroyOnReturn: false })) {
        this.receivedLength += chunk.length;
        yield chunk;
      }
    } catch (cause) {
      throw this.#stream.destroyed ? new ClientGone() : cause;
    }
    if (this.#stream.aborted) throw new ClientGone();
  }

  async bytes(maxBytes: number): Promise<Buffer> {
    this.#refuseLarger(maxBytes);
    const chunks: Buffer[] = [];
    for await (const chunk of this) {
      this.#refuseLarger(maxBytes);
      this.keeps(this.receivedLength);
      chunks.push(chunk);
    }
    return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
  }

  keeps(byteCount: number): void {
    if (!this.#content.covers(byteCount)) throw new Refusal('too-much-content');
  }

  async discard(maxBytes: number): Promise<void> {
    this.#refuseLarger(maxBytes);
    for await (const _chunk of this) this.#refuseLarger(maxBytes);
  }

  #refuseLarger(maxBytes: number): void {
    if (Math.max(this.receivedLength, this.declaredLength ?? 0) > maxBytes)
      throw new Refusal('body-too-large', { maxBytes });
  }
}
