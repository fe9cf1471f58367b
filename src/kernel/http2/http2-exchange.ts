import { constants, type OutgoingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { ContentShare } from '../../http1/content-budget.ts';
import {
  type BodyWriter,
  ClientGone,
  type ConnectionInfo,
  type Exchange,
  type Http2Controls,
  type RequestBody,
  type RequestHead,
  type UpgradedStream,
} from '../../http1/exchange.ts';
import { HeaderList, type HeaderPairs } from '../../http1/header-list.ts';
import type { Http1Timeouts } from '../../http1/limits.ts';
import { Http2Body } from './http2-body.ts';
import { http2ControlsOf, resetSoon } from './http2-controls.ts';

/** One HTTP/2 stream in the shape every handler knows. */
export class Http2Exchange implements Exchange {
  readonly head: RequestHead;
  readonly body: RequestBody;
  readonly connection: ConnectionInfo;
  readonly requestNo: number;
  readonly #stream: ServerHttp2Stream;
  readonly #socket: Socket;
  readonly #isExtendedConnect: boolean;
  #abort: AbortController | undefined;

  constructor(
    stream: ServerHttp2Stream,
    fields: HeaderPairs,
    socket: Socket,
    connection: ConnectionInfo,
    requestNo: number,
    content: ContentShare,
    timeouts: Http1Timeouts,
  ) {
    this.#stream = stream;
    this.#socket = socket;
    this.connection = connection;
    this.requestNo = requestNo;
    const pseudo = pseudoFieldsOf(fields);
    this.#isExtendedConnect = pseudo[':protocol'] !== undefined;
    this.head = readHead(fields, pseudo);
    const { headers } = this.head;
    this.body = new Http2Body(stream, declaredLength(headers), !stream.endAfterHeaders, content, timeouts);
    if (this.body.isPresent && !this.#isExtendedConnect) resetWhenAnswered(stream, timeouts.lingerMs);
    stream.on('close', () => {
      // A session that is destroyed leaves no error code on its streams, but those cut off are marked as aborted.
      const isComplete =
        stream.headersSent && !stream.aborted && stream.rstCode === constants.NGHTTP2_NO_ERROR;
      if (!isComplete) this.#abort?.abort(new ClientGone());
    });
  }

  get signal(): AbortSignal {
    if (!this.#abort) {
      this.#abort = new AbortController();
      if (this.#stream.destroyed) this.#abort.abort(new ClientGone());
    }
    return this.#abort.signal;
  }

  get isAnswered(): boolean {
    return this.#stream.headersSent || this.#stream.closed;
  }

  sendInterim(status: number, headers: HeaderPairs = []): void {
    if (this.#stream.destroyed || this.#stream.headersSent) return;
    this.#stream.additionalHeaders({ ':status': status, ...outgoing(headers) });
  }

  send(status: number, headers: HeaderPairs, body: string | Uint8Array | null = null): void {
    if (this.#stream.destroyed) return;
    const content = typeof body === 'string' ? Buffer.from(body) : body;
    const fields = answerFields(status, headers);
    if (content !== null && status !== 204 && status !== 304 && !hasField(fields, 'content-length'))
      fields.push('content-length', String(content.length));
    const endStream = content === null || content.length === 0 || !this.#sendsContent(status);
    this.#stream.respond(fields, { endStream });
    if (!endStream) this.#stream.end(content);
  }

  startBody(status: number, headers: HeaderPairs): BodyWriter {
    if (this.#stream.destroyed) throw new ClientGone();
    if (!this.#sendsContent(status)) {
      this.#stream.respond(answerFields(status, headers), { endStream: true });
      return discardingWriter;
    }
    this.#stream.respond(answerFields(status, headers), { waitForTrailers: true });
    return new Http2BodyWriter(this.#stream);
  }

  /** RFC 8441: where HTTP/1.1 switches protocols by 101, an extended CONNECT is accepted by 200 and becomes the connection. */
  upgrade(headers: HeaderPairs): UpgradedStream | undefined {
    const stream = this.#stream;
    if (!this.#isExtendedConnect || stream.destroyed) return undefined;
    // Node ends a stream that it resets first, which would look orderly. Waiting for trailers keeps the end for us.
    stream.respond(answerFields(200, headers), { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({}));
    return Object.assign(stream, { reset: () => resetSoon(stream, constants.NGHTTP2_CANCEL) });
  }

  get http2(): Http2Controls {
    return http2ControlsOf(this.#stream, this.#socket);
  }

  takeSocket(): undefined {
    return undefined;
  }

  closeAfterAnswer(): void {
    this.#stream.session?.close();
  }

  #sendsContent(status: number): boolean {
    return this.head.method !== 'HEAD' && status !== 204 && status !== 304;
  }
}

class Http2BodyWriter implements BodyWriter {
  readonly isDiscarding = false;
  readonly #stream: ServerHttp2Stream;
  #trailers: HeaderPairs = [];

  constructor(stream: ServerHttp2Stream) {
    this.#stream = stream;
    stream.on('wantTrailers', () => stream.sendTrailers(outgoing(this.#trailers)));
  }

  write(chunk: string | Uint8Array): Promise<void> | undefined {
    if (this.#stream.destroyed) return Promise.reject(new ClientGone());
    if (this.#stream.write(chunk)) return undefined;
    return this.#whenDrained();
  }

  end(trailers: HeaderPairs = []): Promise<void> {
    this.#trailers = trailers;
    if (this.#stream.destroyed) return Promise.reject(new ClientGone());
    return new Promise((resolve) => this.#stream.end(resolve));
  }

  abort(): void {
    this.#stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  }

  #whenDrained(): Promise<void> {
    const stream = this.#stream;
    return new Promise((resolve, reject) => {
      const onDrain = () => {
        stream.off('close', onClose);
        resolve();
      };
      const onClose = () => {
        stream.off('drain', onDrain);
        reject(new ClientGone());
      };
      stream.once('drain', onDrain).once('close', onClose);
    });
  }
}

const discardingWriter: BodyWriter = {
  isDiscarding: true,
  write: () => undefined,
  end: () => Promise.resolve(),
  abort: () => {},
};

function pseudoFieldsOf(fields: HeaderPairs): Readonly<Record<string, string>> {
  const pseudo: Record<string, string> = {};
  for (let index = 0; index < fields.length; index += 2) {
    if (fields[index]!.startsWith(':')) pseudo[fields[index]!] = fields[index + 1]!;
  }
  return pseudo;
}

function readHead(fields: HeaderPairs, pseudo: Readonly<Record<string, string>>): RequestHead {
  const regular: string[] = [];
  for (let index = 0; index < fields.length; index += 2) {
    if (!fields[index]!.startsWith(':')) regular.push(fields[index]!, fields[index + 1]!);
  }
  const authority = pseudo[':authority'];
  // Handlers look for Host; RFC 9113 §8.3.1 names :authority as its equal.
  const hasHost = regular.some((text, index) => index % 2 === 0 && text === 'host');
  if (authority !== undefined && !hasHost) regular.unshift('host', authority);
  const protocol = pseudo[':protocol'];
  // Handlers look for GET and Upgrade; RFC 8441 §5 says how an extended CONNECT stands for them.
  if (protocol !== undefined) regular.push('connection', 'Upgrade', 'upgrade', protocol);
  const method = protocol === undefined ? (pseudo[':method'] ?? 'GET') : 'GET';
  return {
    method,
    target: pseudo[':path'] ?? (method === 'CONNECT' ? (authority ?? '') : '/'),
    version: '2',
    headers: new HeaderList(regular),
    wireBytes: undefined,
    http2Fields: fields,
  };
}

function declaredLength(headers: HeaderList): number | undefined {
  const value = headers.first('content-length');
  return value !== undefined && /^\d{1,15}$/.test(value) ? Number(value) : undefined;
}

/** RFC 9113 §8.1: a client that sends on, or that neither sends nor ends, after its whole answer is asked to stop. */
function resetWhenAnswered(stream: ServerHttp2Stream, lingerMs: number): void {
  stream.once('finish', () => {
    if (stream.readableEnded || stream.destroyed) return;
    const timer = setTimeout(() => stream.close(constants.NGHTTP2_NO_ERROR), lingerMs);
    stream.once('close', () => clearTimeout(timer));
  });
}

/** Fields that mean something for one HTTP/1.1 connection only and are malformed in HTTP/2 (RFC 9113 §8.2.2). */
const connectionFields = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);

/** The head of an answer as a list: order and repetitions as given. */
function answerFields(status: number, pairs: HeaderPairs): string[] {
  const fields = [':status', String(status)];
  for (let index = 0; index < pairs.length; index += 2) {
    const name = pairs[index]!.toLowerCase();
    if (!connectionFields.has(name)) fields.push(name, pairs[index + 1]!);
  }
  return fields;
}

function hasField(fields: readonly string[], lowerName: string): boolean {
  for (let index = 0; index < fields.length; index += 2) if (fields[index] === lowerName) return true;
  return false;
}

/** Interim heads and trailers, which node:http2 takes as an object only. */
function outgoing(pairs: HeaderPairs): OutgoingHttpHeaders {
  const fields: Record<string, string | string[] | number> = {};
  for (let index = 0; index < pairs.length; index += 2) {
    const name = pairs[index]!.toLowerCase();
    const value = pairs[index + 1]!;
    if (connectionFields.has(name)) continue;
    const earlier = fields[name];
    fields[name] = earlier === undefined ? value : [earlier, value].flat().map(String);
  }
  return fields;
}
