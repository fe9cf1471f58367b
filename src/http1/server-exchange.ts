import { Buffer } from 'node:buffer';
import { AnswerBodyWriter, type BodyEnd } from './body-writer.ts';
import {
  type BodyWriter,
  ClientGone,
  type ConnectionInfo,
  type Exchange,
  type RawSocket,
  type RequestBody,
  type RequestHead,
  type UpgradedStream,
} from './exchange.ts';
import type { ReadHead } from './head-reader.ts';
import { HeaderList, type HeaderPairs } from './header-list.ts';
import type { Output } from './output.ts';
import { type AnswerHead, composeAnswerHead, composeInterimHead } from './response-head.ts';

/** The connection, as one exchange on it sees it. */
export interface ExchangeHost {
  readonly info: ConnectionInfo;
  readonly output: Output;
  /** Whether another request may follow on this connection. */
  readonly mayStayOpen: boolean;
  /** A further request is already here; its answer can leave together with this one. */
  readonly hasMoreRequests: boolean;
  now(): number;
  onAnswerEnd(closes: boolean): void;
  onAnswerAbort(): void;
  switchProtocols(head: string): UpgradedStream;
  takeSocket(): RawSocket;
}

/** A request on an HTTP/1.1 connection. */
export class ServerExchange implements Exchange, BodyEnd {
  readonly head: ServerRequestHead;
  readonly body: RequestBody;
  readonly requestNo: number;
  isAnswered = false;
  readonly #host: ExchangeHost;
  readonly #version: '1.0' | '1.1';
  #abort: AbortController | undefined = undefined;
  #isClientGone = false;
  #closesAfterAnswer = false;

  constructor(host: ExchangeHost, readHead: ReadHead, body: RequestBody, requestNo: number) {
    this.#host = host;
    this.#version = readHead.parsed.version;
    this.head = new ServerRequestHead(readHead);
    this.body = body;
    this.requestNo = requestNo;
  }

  get connection(): ConnectionInfo {
    return this.#host.info;
  }

  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#isClientGone && !this.#abort.signal.aborted) this.#abort.abort(new ClientGone());
    return this.#abort.signal;
  }

  sendInterim(status: number, headers: HeaderPairs = []): void {
    if (status < 100 || status > 199 || status === 101)
      throw new RangeError(`${status} is no interim status`);
    this.#checkUnanswered();
    const text = composeInterimHead(status, headers);
    if (this.#version === '1.1') this.#host.output.write(text);
  }

  send(status: number, headers: HeaderPairs, body: string | Uint8Array | null = null, reason?: string): void {
    if (typeof body === 'string' && this.#sendAscii(status, headers, body, reason)) return;
    const content = typeof body === 'string' ? Buffer.from(body) : (body ?? '');
    const head = this.#compose(status, headers, content.length, reason);
    checkLength(head, content.length);
    this.isAnswered = true;
    if (head.framing === 'chunked') {
      this.#sendInOneChunk(head, content);
      return;
    }
    if (head.framing === 'none' || typeof content === 'string') this.#put(head.text);
    else this.#host.output.writeBytes(head.text, content, '');
    this.onEnd(head.closes);
  }

  startBody(status: number, headers: HeaderPairs, reason?: string): BodyWriter {
    const head = this.#compose(status, headers, undefined, reason);
    this.isAnswered = true;
    return new AnswerBodyWriter(this.#host.output, head, this);
  }

  upgrade(headers: HeaderPairs): UpgradedStream {
    this.#checkUnanswered();
    // A tunnel opened by CONNECT begins after a 2xx instead (RFC 9110 §9.3.6).
    const head = composeInterimHead(this.head.method === 'CONNECT' ? 200 : 101, headers);
    const stream = this.#host.switchProtocols(head);
    this.isAnswered = true;
    return stream;
  }

  takeSocket(): RawSocket {
    this.#checkUnanswered();
    this.isAnswered = true;
    return this.#host.takeSocket();
  }

  closeAfterAnswer(): void {
    this.#closesAfterAnswer = true;
  }

  onEnd(closes: boolean): void {
    this.#host.onAnswerEnd(closes || this.#closesAfterAnswer);
  }

  onAbort(): void {
    this.#host.onAnswerAbort();
  }

  /** To be called when the connection ended before the answer did. */
  clientGone(): void {
    this.#isClientGone = true;
    this.#abort?.abort(new ClientGone());
  }

  /**
   * A text is taken for ASCII, whose characters are its bytes, until it is looked through together with its head:
   * looking through a text in pieces puts them together, and so that is done once. False: it is not, and nothing was
   * sent.
   */
  #sendAscii(status: number, headers: HeaderPairs, text: string, reason?: string): boolean {
    const head = this.#compose(status, headers, text.length, reason);
    const whole = head.text + text;
    if (Buffer.byteLength(whole) !== whole.length) return false;
    checkLength(head, text.length);
    this.isAnswered = true;
    if (head.framing === 'chunked') {
      this.#sendInOneChunk(head, text);
      return true;
    }
    this.#put(head.framing === 'none' ? head.text : whole);
    this.onEnd(head.closes);
    return true;
  }

  #compose(
    status: number,
    headers: HeaderPairs,
    bodyLength: number | undefined,
    reason: string | undefined,
  ): AnswerHead {
    this.#checkUnanswered();
    if (status < 200) throw new RangeError(`${status} is no final status`);
    return composeAnswerHead(status, reason, headers, bodyLength, {
      method: this.head.method,
      version: this.#version,
      mayStayOpen: this.#host.mayStayOpen && !this.#closesAfterAnswer,
      nowMs: this.#host.now(),
    });
  }

  #put(text: string): void {
    const { output } = this.#host;
    if (this.#host.hasMoreRequests) output.hold(text);
    else output.write(text);
  }

  #sendInOneChunk(head: AnswerHead, content: string | Uint8Array): void {
    const writer = new AnswerBodyWriter(this.#host.output, head, this);
    // Nobody waits for a whole answer: a client that left is told of by the signal.
    writer.write(content)?.catch(() => {});
    writer.end().catch(() => {});
  }

  #checkUnanswered(): void {
    if (this.isAnswered) throw new Error('the request was already answered');
  }
}

/** Whoever gives a Content-Length of his own must mean it. */
function checkLength({ framing, length }: AnswerHead, bodyLength: number): void {
  if (framing === 'length' && length !== bodyLength)
    throw new Error(`Content-Length says ${length} and the body has ${bodyLength} bytes`);
}

class ServerRequestHead implements RequestHead {
  readonly method: string;
  readonly target: string;
  readonly version: '1.0' | '1.1';
  readonly headers: HeaderList;
  readonly #readHead: ReadHead;

  constructor(readHead: ReadHead) {
    const { parsed } = readHead;
    this.method = parsed.method;
    this.target = parsed.target;
    this.version = parsed.version;
    this.headers = new HeaderList(parsed.fields.pairs);
    this.#readHead = readHead;
  }

  get wireBytes(): Buffer {
    const { bytes, start, end } = this.#readHead;
    return bytes.subarray(start, end);
  }
}
