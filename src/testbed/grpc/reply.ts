import type { Exchange } from '../../http1/exchange.ts';
import type { HeaderPairs } from '../../http1/header-list.ts';
import type { Flavour } from './flavour.ts';
import { acceptedEncodings, encodeFrame, type MessageEncoding } from './message-encoding.ts';
import { type MetadataEntry, writeMetadata } from './metadata.ts';
import { type ReplyChannel, replyChannel } from './reply-channel.ts';
import { statusFields } from './status.ts';

/** The answering half of a call. Its head leaves with the first message. */
export class GrpcReply {
  readonly #exchange: Exchange;
  readonly #channel: ReplyChannel;
  readonly #contentType: string;
  #encoding: MessageEncoding = 'identity';
  #isEncodingNamed = true;
  #initial: HeaderPairs = [];
  #trailing: HeaderPairs = [];
  #isStarted = false;
  #isEnded = false;

  constructor(exchange: Exchange, flavour: Flavour) {
    this.#exchange = exchange;
    this.#channel = replyChannel(exchange, flavour);
    this.#contentType = `application/${flavour}+proto`;
  }

  /** Metadata that goes before the first message. */
  addInitial(entries: readonly MetadataEntry[]): void {
    this.#initial = [...this.#initial, ...writeMetadata(entries)];
  }

  /** Metadata that goes with the status. */
  addTrailing(entries: readonly MetadataEntry[]): void {
    this.#trailing = [...this.#trailing, ...writeMetadata(entries)];
  }

  /** The encoding of every message from here on, and whether the head names it. */
  encodeAs(encoding: MessageEncoding, isNamed: boolean): void {
    this.#encoding = encoding;
    this.#isEncodingNamed = isNamed;
  }

  async send(message: Uint8Array): Promise<void> {
    await this.sendRaw(await encodeFrame(message, this.#encoding));
  }

  /** Bytes in the place of a frame, whatever they are. */
  async sendRaw(bytes: Uint8Array): Promise<void> {
    // After the deadline the call has its status; what its handler still says goes nowhere.
    if (this.#isEnded) return;
    this.#start();
    await this.#channel.write(bytes);
  }

  /** Ends the call; without effect when it has ended already. */
  async end(code: number, message: string, trailers: HeaderPairs = []): Promise<void> {
    if (this.#isEnded) return;
    this.#isEnded = true;
    await this.#channel.end([...statusFields(code, message), ...trailers, ...this.#trailing], this.#head());
  }

  async endWithoutStatus(): Promise<void> {
    this.#start();
    this.#isEnded = true;
    await this.#channel.endWithoutStatus();
  }

  /** Another answer takes the place of the reply. */
  abandon(): void {
    this.#isEnded = true;
  }

  #start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#channel.start(this.#head());
  }

  #head(): string[] {
    const head = ['content-type', this.#contentType, 'grpc-accept-encoding', acceptedEncodings];
    if (this.#isEncodingNamed && this.#encoding !== 'identity') head.push('grpc-encoding', this.#encoding);
    const requestId = this.#exchange.head.headers.first('x-request-id');
    if (requestId !== undefined) head.push('x-request-id', requestId);
    return [...head, ...this.#initial];
  }
}
