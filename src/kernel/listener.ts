import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { describeConnection } from './connection-info.ts';
import { type Opening, Openings } from './connection-opening.ts';
import type { ConnectionSeats } from './connection-seats.ts';
import { type ConnectionUsage, HttpConnections, type HttpConnectionsOptions } from './http-connections.ts';
import { stopListening } from './stop-listening.ts';
import { fatalAlert, isTlsRecord } from './tls-records.ts';

export interface ListenerOptions extends HttpConnectionsOptions {
  readonly host: string;
  readonly port: number;
  /** Every connection must start with a PROXY protocol header. */
  readonly expectsProxyHeader: boolean;
  /** Shared with the other ports of the process; without it any number may connect. */
  readonly seats?: ConnectionSeats;
  /** The port leads to this very process, also where several share their ports. */
  readonly isExclusive?: boolean;
  /** Answers even TLS clients in HTTP instead of an alert. */
  readonly knowsNoTls?: boolean;
}

type Protocol = 'http1' | 'http2' | 'tls';

const HTTP2_PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const SILENCE_MS = 60_000;

/** One port: looks at the first bytes of each connection and serves HTTP/1.1 or HTTP/2 with prior knowledge on it. */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #server: Server;
  readonly #connections: HttpConnections;
  readonly #openings: Openings<Protocol>;

  private constructor(options: ListenerOptions) {
    this.#options = options;
    this.#connections = new HttpConnections(options);
    this.#openings = new Openings({
      expectsProxyHeader: options.expectsProxyHeader,
      silenceMs: options.http1.timeouts.idleMs || SILENCE_MS,
      protocolOf: options.knowsNoTls ? httpVersionOf : protocolOf,
      // A few bytes and FIN: the engine says what is wrong with them.
      protocolOfRest: 'http1',
      onOpened: (socket, opening) => this.#serve(socket, opening),
      log: options.log,
    });
    // Half-open: a client may close its side after the request and still wants the answer.
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      if (options.seats?.admit(socket) ?? true) this.#openings.accept(socket);
    });
  }

  /** Rejects with the system's error when the address cannot be had. */
  static async start(options: ListenerOptions): Promise<Listener> {
    const listener = new Listener(options);
    const { host, port, isExclusive = false } = options;
    listener.#server.listen({ host, port, backlog: 4096, exclusive: isExclusive });
    await once(listener.#server, 'listening');
    return listener;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Connections on which requests come; those that have not said their protocol yet do not count. */
  get connectionCount(): number {
    return this.#connections.size;
  }

  /** The same connections, by whether they are in use. */
  connectionUsage(): ConnectionUsage {
    return this.#connections.usage();
  }

  /** Stops accepting, lets running exchanges finish, and cuts off what is left after the deadline. */
  async stop(deadlineMs: number): Promise<void> {
    this.#openings.destroy();
    await stopListening(this.#server, this.#connections, deadlineMs, this.#options.log);
  }

  #serve(socket: Socket, { protocol, firstBytes, proxyHeader }: Opening<Protocol>): void {
    if (protocol === 'tls') {
      refuseTls(socket);
      return;
    }
    const info = describeConnection(socket, this.#options.http1.now(), proxyHeader);
    if (protocol === 'http2') this.#connections.serveHttp2(socket, firstBytes, info);
    else this.#connections.serveHttp1(socket, firstBytes, info);
  }
}

/** Undefined while the bytes may still become more than one. */
function protocolOf(bytes: Buffer): Protocol | undefined {
  if (bytes[0] === 0x16) {
    // No method begins with this byte, so the engine may well say what is wrong with anything else behind it.
    if (bytes.length < 2) return undefined;
    return isTlsRecord(bytes) ? 'tls' : 'http1';
  }
  return httpVersionOf(bytes);
}

function httpVersionOf(bytes: Buffer): Protocol | undefined {
  const length = Math.min(bytes.length, HTTP2_PREFACE.length);
  if (bytes.compare(HTTP2_PREFACE, 0, length, 0, length) !== 0) return 'http1';
  return length === HTTP2_PREFACE.length ? 'http2' : undefined;
}

/** A TLS client on a plain port is told so in its own language; an HTTP answer would be gibberish to it. */
function refuseTls(socket: Socket): void {
  socket.on('error', () => socket.destroy());
  socket.resume();
  socket.end(fatalAlert('unexpected_message'), () => socket.destroy());
}
