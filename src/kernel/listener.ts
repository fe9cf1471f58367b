import { once } from 'node:events';
import { performServerHandshake, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { type Http1Connection, type Http1Options, serveHttp1 } from '../http1/connection.ts';
import type { ConnectionInfo, Exchange, ProxyHeader } from '../http1/exchange.ts';
import { Http2Exchange } from './http2/http2-exchange.ts';
import type { Log } from './log.ts';
import { readProxyHeader } from './proxy-protocol.ts';

export interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly http1: Omit<Http1Options, 'onExchange'>;
  /** Every connection must start with a PROXY protocol header. */
  readonly expectsProxyHeader: boolean;
  readonly handle: (exchange: Exchange) => void;
  readonly log: Log;
}

const HTTP2_PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const HTTP2_IDLE_MS = 120_000;
const HTTP2_MAX_STREAMS = 256;

/** One port: looks at the first bytes of each connection and serves HTTP/1.1 or HTTP/2 with prior knowledge on it. */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #http1: Http1Options;
  readonly #server: Server;
  readonly #undecided = new Set<Socket>();
  readonly #connections = new Set<Http1Connection>();
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #idPrefix = `${process.pid.toString(36)}-`;
  #connectionCount = 0;

  private constructor(options: ListenerOptions) {
    this.#options = options;
    this.#http1 = { ...options.http1, onExchange: options.handle };
    // Half-open: a client may close its side after the request and still wants the answer.
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => this.#accept(socket));
  }

  /** Rejects with the system's error when the address cannot be had. */
  static async start(options: ListenerOptions): Promise<Listener> {
    const listener = new Listener(options);
    listener.#server.listen({ host: options.host, port: options.port, backlog: 4096 });
    await once(listener.#server, 'listening');
    return listener;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Stops accepting, lets running exchanges finish, and cuts off what is left after the deadline. */
  async stop(deadlineMs: number): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#undecided) socket.destroy();
    for (const connection of this.#connections) connection.closeGracefully();
    for (const session of this.#sessions) session.close();
    const timer = setTimeout(() => this.#cutOff(), deadlineMs);
    await closed;
    clearTimeout(timer);
  }

  #cutOff(): void {
    this.#options.log.warn({
      event: 'listener.cut-off',
      http1: this.#connections.size,
      http2: this.#sessions.size,
    });
    for (const connection of this.#connections) connection.destroy();
    for (const session of this.#sessions) session.destroy();
  }

  #accept(socket: Socket): void {
    this.#undecided.add(socket);
    let received: Buffer | undefined;
    let proxyHeader: ProxyHeader | undefined;
    let awaitsProxyHeader = this.#options.expectsProxyHeader;
    const giveUp = () => {
      this.#undecided.delete(socket);
      socket.destroy();
    };
    const timer = setTimeout(giveUp, this.#http1.timeouts.idleMs || HTTP2_IDLE_MS);
    const onData = (chunk: Buffer) => {
      received = received ? Buffer.concat([received, chunk]) : chunk;
      if (awaitsProxyHeader) {
        const reading = readProxyHeader(received);
        if (reading.outcome === 'incomplete') return;
        if (reading.outcome === 'invalid') {
          this.#options.log.warn({ event: 'listener.proxy-header.invalid', reason: reading.reason });
          giveUp();
          return;
        }
        proxyHeader = reading.header;
        received = received.subarray(reading.length);
        awaitsProxyHeader = false;
      }
      const protocol = protocolOf(received);
      if (protocol === undefined) return;
      settle();
      const info = this.#describe(socket, proxyHeader);
      if (protocol === 'http2') this.#serveHttp2(socket, received, info);
      else this.#serveHttp1(socket, received, info);
    };
    const settle = () => {
      clearTimeout(timer);
      socket.off('data', onData).off('end', onEnd).off('error', giveUp).off('close', settle);
      this.#undecided.delete(socket);
    };
    const onEnd = () => {
      settle();
      // A few bytes and FIN: the engine says what is wrong with them.
      if (received && received.length > 0 && !awaitsProxyHeader) {
        this.#serveHttp1(socket, received, this.#describe(socket, proxyHeader));
      } else socket.end();
    };
    socket.on('data', onData).on('end', onEnd).on('error', giveUp).on('close', settle);
  }

  #serveHttp1(socket: Socket, firstBytes: Buffer, info: ConnectionInfo): void {
    const connection = serveHttp1(socket, firstBytes, info, this.#http1);
    this.#connections.add(connection);
    connection.closed.then(() => this.#connections.delete(connection));
  }

  #serveHttp2(socket: Socket, firstBytes: Buffer, info: ConnectionInfo): void {
    const { limits } = this.#http1;
    // The session first reads what was put back; a flowing socket would give it to nobody.
    socket.pause();
    socket.unshift(firstBytes);
    const session = performServerHandshake(socket, {
      settings: { maxConcurrentStreams: HTTP2_MAX_STREAMS, maxHeaderListSize: limits.maxHeadBytes },
      maxHeaderListPairs: limits.maxHeaderCount,
    });
    let requestNo = 0;
    this.#sessions.add(session);
    session.setTimeout(HTTP2_IDLE_MS, () => session.close());
    session.on('close', () => this.#sessions.delete(session));
    session.on('error', (err) => this.#options.log.debug({ event: 'http2.session.failed', err }));
    session.on('stream', (stream: ServerHttp2Stream, _headers, _flags, fields: string[]) => {
      stream.on('error', (err) => this.#options.log.debug({ event: 'http2.stream.failed', err }));
      this.#options.handle(new Http2Exchange(stream, fields, info, ++requestNo));
    });
  }

  #describe(socket: Socket, proxyHeader: ProxyHeader | undefined): ConnectionInfo {
    return {
      id: this.#idPrefix + (++this.#connectionCount).toString(36),
      openedAtMs: this.#http1.now(),
      remoteAddress: plainAddress(socket.remoteAddress),
      remotePort: socket.remotePort ?? 0,
      localAddress: plainAddress(socket.localAddress),
      localPort: socket.localPort ?? 0,
      proxyHeader,
      tls: undefined,
    };
  }
}

/** Undefined while the bytes may still become either. */
function protocolOf(bytes: Buffer): 'http1' | 'http2' | undefined {
  const length = Math.min(bytes.length, HTTP2_PREFACE.length);
  if (bytes.compare(HTTP2_PREFACE, 0, length, 0, length) !== 0) return 'http1';
  return length === HTTP2_PREFACE.length ? 'http2' : undefined;
}

/** IPv4 clients of a dual-stack socket are shown as IPv4. */
function plainAddress(address = ''): string {
  return address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
}
