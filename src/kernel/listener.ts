import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { ConnectionInfo, ProxyHeader } from '../http1/exchange.ts';
import { HttpConnections, type HttpConnectionsOptions } from './http-connections.ts';
import { readProxyHeader } from './proxy-protocol.ts';

export interface ListenerOptions extends HttpConnectionsOptions {
  readonly host: string;
  readonly port: number;
  /** Every connection must start with a PROXY protocol header. */
  readonly expectsProxyHeader: boolean;
}

const HTTP2_PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const SILENCE_MS = 60_000;

/** One port: looks at the first bytes of each connection and serves HTTP/1.1 or HTTP/2 with prior knowledge on it. */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #server: Server;
  readonly #connections: HttpConnections;
  readonly #undecided = new Set<Socket>();
  readonly #describe = connectionNumbering();

  private constructor(options: ListenerOptions) {
    this.#options = options;
    this.#connections = new HttpConnections(options);
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
    this.#connections.closeGracefully();
    const timer = setTimeout(() => {
      this.#options.log.warn({ event: 'listener.cut-off', connections: this.#connections.size });
      this.#connections.destroy();
    }, deadlineMs);
    await closed;
    clearTimeout(timer);
  }

  #accept(socket: Socket): void {
    const { expectsProxyHeader, http1, log } = this.#options;
    let received: Buffer = EMPTY;
    let proxyHeader: ProxyHeader | undefined;

    const settle = () => {
      clearTimeout(timer);
      this.#undecided.delete(socket);
      socket.off('data', onData).off('end', onEnd).off('error', giveUp).off('close', settle);
    };
    const giveUp = () => {
      settle();
      socket.destroy();
    };
    const onData = (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      if (expectsProxyHeader && !proxyHeader) {
        const reading = readProxyHeader(received);
        if (reading.outcome === 'incomplete') return;
        if (reading.outcome === 'invalid') {
          log.warn({ event: 'listener.proxy-header.invalid', reason: reading.reason });
          giveUp();
          return;
        }
        proxyHeader = reading.header;
        received = received.subarray(reading.length);
      }
      const protocol = protocolOf(received);
      if (protocol === undefined) return;
      settle();
      const info = this.#describe(socket, http1.now(), proxyHeader);
      if (protocol === 'http2') this.#connections.serveHttp2(socket, received, info);
      else this.#connections.serveHttp1(socket, received, info);
    };
    const onEnd = () => {
      settle();
      if (received.length === 0 || (expectsProxyHeader && !proxyHeader)) socket.end();
      // A few bytes and FIN: the engine says what is wrong with them.
      else this.#connections.serveHttp1(socket, received, this.#describe(socket, http1.now(), proxyHeader));
    };
    const timer = setTimeout(giveUp, http1.timeouts.idleMs || SILENCE_MS);
    this.#undecided.add(socket);
    socket.on('data', onData).on('end', onEnd).on('error', giveUp).on('close', settle);
  }
}

const EMPTY = Buffer.alloc(0);

/** Undefined while the bytes may still become either. */
function protocolOf(bytes: Buffer): 'http1' | 'http2' | undefined {
  const length = Math.min(bytes.length, HTTP2_PREFACE.length);
  if (bytes.compare(HTTP2_PREFACE, 0, length, 0, length) !== 0) return 'http1';
  return length === HTTP2_PREFACE.length ? 'http2' : undefined;
}

/** Describes sockets, each with an id that is unique among all processes of a machine. */
function connectionNumbering() {
  const prefix = `${process.pid.toString(36)}-`;
  let count = 0;
  return (socket: Socket, openedAtMs: number, proxyHeader: ProxyHeader | undefined): ConnectionInfo => ({
    id: prefix + (++count).toString(36),
    openedAtMs,
    remoteAddress: plainAddress(socket.remoteAddress),
    remotePort: socket.remotePort ?? 0,
    localAddress: plainAddress(socket.localAddress),
    localPort: socket.localPort ?? 0,
    proxyHeader,
    tls: undefined,
  });
}

/** IPv4 clients of a dual-stack socket are shown as IPv4. */
function plainAddress(address = ''): string {
  return address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
}
