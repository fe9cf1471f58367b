import {
  constants,
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Socket } from 'node:net';
import { type Http1Connection, type Http1Options, serveHttp1 } from '../http1/connection.ts';
import { ContentShare } from '../http1/content-budget.ts';
import type { ConnectionInfo, Exchange } from '../http1/exchange.ts';
import type { HeaderPairs } from '../http1/header-list.ts';
import { Refusal } from '../http1/refusals.ts';
import { Http2Exchange } from './http2/http2-exchange.ts';
import type { Log } from './log.ts';

/** Connections of clients, by whether a request is on them right now. */
export interface ConnectionUsage {
  readonly active: number;
  readonly idle: number;
}

export interface HttpConnectionsOptions {
  readonly http1: Omit<Http1Options, 'onExchange'>;
  readonly handle: (exchange: Exchange) => void;
  readonly log: Log;
}

const HTTP2_IDLE_MS = 120_000;
const HTTP2_MAX_STREAMS = 256;
/** How many SETTINGS of ours may wait for the client: several only where a test floods it. The types do not know the option. */
const outstandingSettings = { maxOutstandingSettings: 10_000 };

/** The running connections of one listener, HTTP/1.1 and HTTP/2 alike. */
export class HttpConnections {
  readonly #options: HttpConnectionsOptions;
  readonly #http1: Http1Options;
  readonly #connections = new Set<Http1Connection>();
  /** Session → its open streams. */
  readonly #sessions = new Map<ServerHttp2Session, Set<ServerHttp2Stream>>();

  constructor(options: HttpConnectionsOptions) {
    this.#options = options;
    this.#http1 = { ...options.http1, onExchange: options.handle };
  }

  get size(): number {
    return this.#connections.size + this.#sessions.size;
  }

  usage(): ConnectionUsage {
    let active = 0;
    for (const { isIdle } of this.#connections) if (!isIdle) active++;
    for (const streams of this.#sessions.values()) if (streams.size > 0) active++;
    return { active, idle: this.size - active };
  }

  /** `firstBytes` were read from the socket already. */
  serveHttp1(socket: Socket, firstBytes: Buffer | undefined, info: ConnectionInfo): void {
    const connection = serveHttp1(socket, firstBytes, info, this.#http1);
    this.#connections.add(connection);
    connection.closed.then(() => this.#connections.delete(connection));
  }

  serveHttp2(socket: Socket, firstBytes: Buffer | undefined, info: ConnectionInfo): void {
    const { handle, log } = this.#options;
    const { limits, timeouts, contentBudget } = this.#http1;
    // HTTP/2 has END_STREAM for the last word of a request; a client that closes its half is leaving.
    socket.allowHalfOpen = false;
    if (firstBytes) {
      // The session first reads what was put back; a flowing socket would give it to nobody.
      socket.pause();
      socket.unshift(firstBytes);
    }
    const session = performServerHandshake(socket, {
      settings: {
        maxConcurrentStreams: HTTP2_MAX_STREAMS,
        maxHeaderListSize: limits.maxHeadBytes,
        enableConnectProtocol: true,
      },
      maxHeaderListPairs: limits.maxHeaderCount,
      // A test service must be able to repeat any field, also where no correct server does.
      strictSingleValueFields: false,
      ...outstandingSettings,
    });
    let requestNo = 0;
    const streams = new Set<ServerHttp2Stream>();
    this.#sessions.set(session, streams);
    session.setTimeout(HTTP2_IDLE_MS, () => {
      // What nobody took in all this time nobody will take; an answer that is still being made may come.
      for (const stream of streams) if (stream.writableLength > 0) stream.close(constants.NGHTTP2_CANCEL);
      session.close();
    });
    session.on('close', () => this.#sessions.delete(session));
    session.on('error', (err) => log.debug({ event: 'http2.session.failed', err }));
    session.on('stream', (stream: ServerHttp2Stream, _headers, _flags, fields: string[]) => {
      stream.on('error', (err) => log.debug({ event: 'http2.stream.failed', err }));
      streams.add(stream);
      stream.on('close', () => streams.delete(stream));
      const content = new ContentShare(contentBudget, limits.maxUnreadBodyBytes);
      const exchange = new Http2Exchange(stream, fields, socket, info, ++requestNo, content, timeouts);
      if (sizeOf(fields) <= limits.maxHeadBytes) handle(exchange);
      else this.#refuseHead(exchange);
    });
  }

  /** Our SETTINGS bind a client only once it has acknowledged them, which it may put off. */
  #refuseHead(exchange: Exchange): void {
    const { onRefused, renderRefusal } = this.#http1;
    const refusal = new Refusal('head-too-large');
    const { headers, body } = renderRefusal(refusal, Buffer.alloc(0));
    onRefused?.(refusal, exchange.connection);
    exchange.send(refusal.status, headers, body);
  }

  /** No new requests; each connection closes when its running answers are done. */
  closeGracefully(): void {
    for (const connection of this.#connections) connection.closeGracefully();
    for (const session of this.#sessions.keys()) session.close();
  }

  destroy(): void {
    for (const connection of this.#connections) connection.destroy();
    for (const session of this.#sessions.keys()) session.destroy();
  }
}

/** As SETTINGS_MAX_HEADER_LIST_SIZE counts (RFC 9113 §6.5.2): 32 bytes for each field beside its characters. */
function sizeOf(fields: HeaderPairs): number {
  return fields.reduce((sum, text) => sum + text.length + 16, 0);
}
