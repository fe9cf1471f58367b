import type { ServerHttp2Stream } from 'node:http2';
import { BodyPace } from '../../http1/body-pace.ts';
import type { ContentShare } from '../../http1/content-budget.ts';
import { Deadline } from '../../http1/deadline.ts';
import { ClientGone, type RequestBody } from '../../http1/exchange.ts';
import type { HeaderPairs } from '../../http1/header-list.ts';
import type { Http1Timeouts } from '../../http1/limits.ts';
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
  readonly #timeouts: Http1Timeouts;
  #pace: BodyPace;

  constructor(
    stream: ServerHttp2Stream,
    declaredLength: number | undefined,
    isPresent: boolean,
    content: ContentShare,
    timeouts: Http1Timeouts,
  ) {
    this.#stream = stream;
    this.#content = content;
    this.#timeouts = timeouts;
    this.#pace = new BodyPace(timeouts);
    stream.once('close', () => content.release());
    this.isPresent = isPresent;
    this.declaredLength = declaredLength;
    this.framing = isPresent ? 'stream' : 'none';
    stream.on('trailers', (_headers, _flags, rawTrailers: string[] = []) => {
      this.trailers = rawTrailers;
    });
  }

  allowPauses(pauseMs: number): void {
    this.#pace = new BodyPace({ ...this.#timeouts, bodyMs: pauseMs, minBodyBytesPerSecond: 0 });
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    if (!this.isPresent) return;
    const chunks: AsyncIterator<Buffer> = this.#stream.iterator({ destroyOnReturn: false });
    let giveUp: (refusal: Refusal) => void = () => {};
    const deadline = new Deadline<'body'>(() => giveUp(new Refusal('body-timeout')));
    const next = () =>
      new Promise<IteratorResult<Buffer>>((resolve, reject) => {
        giveUp = reject;
        chunks.next().then(resolve, reject);
      });
    try {
      for (;;) {
        deadline.set('body', this.#pace.remainingMs(this.receivedLength));
        const { done, value } = await next();
        deadline.clear();
        if (done) break;
        this.receivedLength += value.length;
        yield value;
      }
    } catch (cause) {
      throw this.#stream.destroyed ? new ClientGone() : cause;
    } finally {
      deadline.dispose();
      chunks.return?.().catch(() => {});
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
