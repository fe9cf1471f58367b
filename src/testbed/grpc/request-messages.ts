import type { RequestBody } from '../../http1/exchange.ts';
import type { Message } from './call.ts';
import type { Flavour } from './flavour.ts';
import { readFrames } from './framing.ts';
import { grpcLimits } from './limits.ts';
import { decodeFrame, type MessageEncoding } from './message-encoding.ts';
import { type MethodSchema, nameOf } from './schema.ts';
import { grpcError } from './status.ts';

/** What the messages of a client may cost in all. */
export interface CallBounds {
  readonly maxReceivedBytes: number;
  /** Without a byte of a request that is not over. */
  readonly maxPauseMs: number;
}

/** The asking half of a call: its messages, decoded as they come. */
export class RequestMessages implements AsyncIterable<Message> {
  readonly #body: RequestBody;
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #flavour: Flavour;
  readonly encoding: MessageEncoding;
  readonly #schema: MethodSchema;
  readonly #bounds: CallBounds;
  /** Whether the message read last was compressed. */
  wasCompressed = false;

  constructor(
    body: RequestBody,
    flavour: Flavour,
    encoding: MessageEncoding,
    schema: MethodSchema,
    bounds: CallBounds,
  ) {
    this.#body = body;
    this.#bounds = bounds;
    body.allowPauses?.(bounds.maxPauseMs);
    this.#chunks = body[Symbol.asyncIterator]();
    this.#flavour = flavour;
    this.encoding = encoding;
    this.#schema = schema;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Message> {
    const { maxMessageBytes } = grpcLimits;
    // Without `return`: a handler that stops reading leaves the rest to be discarded.
    const chunks = { [Symbol.asyncIterator]: () => ({ next: () => this.#chunks.next() }) };
    const bytes = this.#flavour === 'grpc-web-text' ? fromBase64(chunks) : chunks;
    for await (const frame of readFrames(bytes, maxMessageBytes, (kept) => this.#keep(kept))) {
      this.wasCompressed = frame.isCompressed;
      yield this.#decode(await decodeFrame(frame, this.encoding, maxMessageBytes));
    }
  }

  /** Reads what nobody wants any more; false when more than so many bytes came. */
  async discardRest(maxBytes: number): Promise<boolean> {
    for (let length = 0; length <= maxBytes; ) {
      const { done, value } = await this.#chunks.next();
      if (done) return true;
      length += value.length;
    }
    return false;
  }

  #keep(byteCount: number): void {
    const { maxReceivedBytes } = this.#bounds;
    if (this.#body.receivedLength > maxReceivedBytes)
      throw grpcError(
        'RESOURCE_EXHAUSTED',
        `the messages of a call may have ${maxReceivedBytes} bytes in all`,
      );
    this.#body.keeps(byteCount);
  }

  #decode(bytes: Buffer): Message {
    const { request } = this.#schema;
    try {
      return request.decode(bytes);
    } catch (error) {
      throw grpcError('INTERNAL', `a message is no ${nameOf(request)}: ${(error as Error).message}`);
    }
  }
}

/** Bytes of base64 text that may be padded wherever its sender made a break. */
async function* fromBase64(text: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let pending = '';
  for await (const chunk of text) {
    pending += chunk.toString('latin1');
    const wholeLength = pending.length - (pending.length % 4);
    const whole = pending.slice(0, wholeLength);
    pending = pending.slice(wholeLength);
    if (!/^(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)*$/.test(whole)) throw notBase64();
    for (const [run] of whole.matchAll(/[^=]+=*/g)) yield Buffer.from(run, 'base64');
  }
  if (pending !== '') throw notBase64();
}

function notBase64() {
  return grpcError('INTERNAL', 'the request is not base64');
}
