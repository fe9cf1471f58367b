import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  type CipherNameAndProtocol,
  createServer as createTlsServer,
  type TLSSocket,
  type TlsOptions,
  type Server as TlsServer,
} from 'node:tls';
import type { ConnectionInfo, ProxyHeader, TlsInfo } from '../http1/exchange.ts';
import { composeAnswerHead } from '../http1/response-head.ts';
import { failureOf } from './catalogue/failure.ts';
import { describeConnection } from './connection-info.ts';
import { type Opening, Openings } from './connection-opening.ts';
import { fault } from './faults.ts';
import { HttpConnections } from './http-connections.ts';
import type { ListenerOptions } from './listener.ts';
import { problemAnswer } from './problem.ts';
import { stopListening } from './stop-listening.ts';

export interface TlsListenerOptions extends ListenerOptions {
  /** From the first byte of a connection to the end of its handshake. */
  readonly handshakeTimeoutMs: number;
  /** Beyond this number the oldest unfinished handshake is let go, so that a flood of them never keeps others out. */
  readonly maxHandshakes: number;
  /** What TLS is put upon; for servers that tamper with its records. */
  readonly transport?: (socket: Socket) => Duplex;
}

/** The secrets and manners of a TLS server: what `node:tls` takes, and a stapled OCSP answer. */
export interface TlsServing extends Pick<TlsOptions, TlsServingOption> {
  readonly staple?: (() => Buffer) | undefined;
}

type TlsServingOption =
  | 'cert'
  | 'key'
  | 'ca'
  | 'minVersion'
  | 'maxVersion'
  | 'ciphers'
  | 'sigalgs'
  | 'dhparam'
  | 'ecdhCurve'
  | 'ALPNProtocols'
  | 'requestCert'
  | 'rejectUnauthorized'
  | 'secureOptions';

/** What became of the connections of a listener. */
export interface TlsCounts {
  readonly handshakes: number;
  /** By the code of the error, such as ERR_SSL_NO_SHARED_CIPHER. */
  readonly failures: Readonly<Record<string, number>>;
}

/**
 * What the TLS library calls the first bytes of a request in the clear. It has taken them by then, so nobody knows what the
 * request was for; looking at them before would cost every connection a detour.
 */
const IN_THE_CLEAR = new Set(['ERR_SSL_HTTP_REQUEST', 'ERR_SSL_HTTPS_PROXY_REQUEST']);

/** Codes come from the TLS library; should it ever make them up, the counts stay small. */
const MAX_FAILURE_CODES = 100;

/**
 * One port that speaks TLS, and HTTP/1.1 or HTTP/2 within it as the client chooses by ALPN. It listens before it has
 * its certificate; clients that come meanwhile wait for their handshake.
 */
export class TlsListener {
  readonly #options: TlsListenerOptions;
  readonly #server: Server;
  readonly #connections: HttpConnections;
  /** Only with a PROXY protocol header is there anything to read before the handshake. */
  readonly #openings: Openings<'tls'>;
  /** Everything accepted and not yet secure, the oldest first. */
  readonly #unfinished = new Set<Socket>();
  /** By what TLS was put upon. */
  readonly #handshaking = new WeakMap<object, { readonly socket: Socket; readonly info: ConnectionInfo }>();
  readonly #failures = new Map<string, number>();
  #handshakeCount = 0;
  #waiting: Array<() => void> = [];
  #tls: TlsServer | undefined = undefined;

  private constructor(options: TlsListenerOptions) {
    this.#options = options;
    this.#connections = new HttpConnections(options);
    this.#openings = new Openings({
      expectsProxyHeader: options.expectsProxyHeader,
      silenceMs: options.handshakeTimeoutMs,
      protocolOf: ({ length }) => (length === 0 ? undefined : 'tls'),
      protocolOfRest: 'tls',
      onOpened: (socket, opening) => this.#onOpened(socket, opening),
      log: options.log,
    });
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => this.#accept(socket));
  }

  /** Rejects with the system's error when the address cannot be had. */
  static async start(options: TlsListenerOptions): Promise<TlsListener> {
    const listener = new TlsListener(options);
    listener.#server.listen({ host: options.host, port: options.port, backlog: 4096 });
    await once(listener.#server, 'listening');
    return listener;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get isServing(): boolean {
    return this.#tls !== undefined;
  }

  get counts(): TlsCounts {
    return { handshakes: this.#handshakeCount, failures: Object.fromEntries(this.#failures) };
  }

  /** Begins to serve; called again, new connections are served the new way. */
  serve({ staple, ...serving }: TlsServing): void {
    const tls = createTlsServer({ ...serving, handshakeTimeout: this.#options.handshakeTimeoutMs });
    const needsAlpn = serving.ALPNProtocols !== undefined && !offersHttp1(serving.ALPNProtocols);
    tls.on('secureConnection', (socket) => this.#onSecure(socket, needsAlpn));
    tls.on('tlsClientError', (error: NodeJS.ErrnoException, socket) => {
      this.#countFailure(error);
      if (IN_THE_CLEAR.has(error.code ?? '')) this.#answerInTheClear(socket);
      // Node ends failed handshakes by itself, after their alert has left, but not the ones that take too long.
      if (error.code === 'ERR_TLS_HANDSHAKE_TIMEOUT') socket.destroy();
    });
    if (staple) tls.on('OCSPRequest', (_certificate, _issuer, answer) => answer(null, staple()));
    this.#tls = tls;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const begin of waiting) begin();
  }

  /** Stops accepting, lets running exchanges finish, and cuts off what is left after the deadline. */
  async stop(deadlineMs: number): Promise<void> {
    for (const socket of this.#unfinished) socket.destroy();
    this.#openings.destroy();
    await stopListening(this.#server, this.#connections, deadlineMs, this.#options.log);
  }

  #accept(socket: Socket): void {
    if (this.#options.seats?.admit(socket) === false) return;
    this.#unfinished.add(socket);
    socket.once('close', () => this.#unfinished.delete(socket));
    if (this.#unfinished.size > this.#options.maxHandshakes) {
      const [oldest] = this.#unfinished;
      this.#countFailure({ code: 'PUSHED_OUT' });
      oldest!.destroy();
      this.#unfinished.delete(oldest!);
    }
    if (this.#options.expectsProxyHeader) this.#openings.accept(socket);
    else this.#begin(socket, undefined);
  }

  #onOpened(socket: Socket, { firstBytes, proxyHeader }: Opening<'tls'>): void {
    // The TLS layer first reads what was put back.
    socket.pause();
    socket.unshift(firstBytes);
    this.#begin(socket, proxyHeader);
  }

  #begin(socket: Socket, proxyHeader: ProxyHeader | undefined): void {
    const info = describeConnection(socket, this.#options.http1.now(), proxyHeader);
    if (this.#tls) this.#handshake(socket, info);
    else this.#waitForCertificate(socket, info);
  }

  #waitForCertificate(socket: Socket, info: ConnectionInfo): void {
    const giveUp = () => socket.destroy();
    const timer = setTimeout(giveUp, this.#options.handshakeTimeoutMs);
    socket.on('error', giveUp);
    this.#waiting.push(() => {
      clearTimeout(timer);
      socket.off('error', giveUp);
      if (!socket.destroyed) this.#handshake(socket, info);
    });
    socket.once('close', () => clearTimeout(timer));
  }

  #handshake(socket: Socket, info: ConnectionInfo): void {
    const transport = this.#options.transport?.(socket) ?? socket;
    this.#handshaking.set(transport, { socket, info });
    this.#tls!.emit('connection', transport);
  }

  #onSecure(secure: TLSSocket, needsAlpn: boolean): void {
    const below = transportBelow(secure);
    const handshake = below && this.#handshaking.get(below);
    if (!handshake) {
      secure.destroy();
      return;
    }
    this.#unfinished.delete(handshake.socket);
    this.#handshakeCount++;
    const tls = describeTls(secure);
    const info = { ...handshake.info, tls };
    if (tls.alpn === 'h2') this.#connections.serveHttp2(secure, undefined, info);
    else if (tls.alpn === undefined && needsAlpn) secure.destroy();
    else this.#connections.serveHttp1(secure, undefined, info);
  }

  /** Below TLS, before Node closes what failed. */
  #answerInTheClear(failed: TLSSocket): void {
    const below = transportBelow(failed);
    const handshake = below && this.#handshaking.get(below);
    const { headers, status, body } = problemAnswer(failureOf(fault('tls.required'))!);
    const { text } = composeAnswerHead(status, undefined, headers, Buffer.byteLength(body as string), {
      method: 'GET',
      version: '1.1',
      mayStayOpen: false,
      nowMs: this.#options.http1.now(),
    });
    handshake?.socket.write(text + body);
  }

  #countFailure({ code = 'UNKNOWN' }: Pick<NodeJS.ErrnoException, 'code'>): void {
    this.#options.log.debug({ event: 'tls.handshake.failed', code });
    if (this.#failures.size >= MAX_FAILURE_CODES && !this.#failures.has(code)) return;
    this.#failures.set(code, (this.#failures.get(code) ?? 0) + 1);
  }
}

function offersHttp1(protocols: NonNullable<TlsOptions['ALPNProtocols']>): boolean {
  return Array.isArray(protocols) && (protocols.length === 0 || protocols.includes('http/1.1'));
}

/** Node tells only by internal members what a TLS socket was put upon: a socket by itself, any other stream by its wrapper. */
function transportBelow(socket: TLSSocket): object | undefined {
  const { _handle } = socket as TLSSocket & {
    _handle?: { readonly _parentWrap?: { readonly stream?: Duplex } };
  };
  return _handle?._parentWrap?.stream ?? _handle?._parentWrap;
}

/** What a handshake came to. Few requests ask for more than the protocol chosen, so the rest is looked up when they do. */
function describeTls(socket: TLSSocket): TlsInfo {
  const { servername, alpnProtocol } = socket as {
    servername?: string | false;
    alpnProtocol?: string | false;
  };
  return {
    serverName: servername || undefined,
    alpn: alpnProtocol || undefined,
    peerError: socket.authorized ? undefined : (socket.authorizationError as unknown as string | undefined),
    get version() {
      return socket.getProtocol() ?? 'unknown';
    },
    get cipher() {
      // Null once the connection is gone, whatever the types say.
      const cipher: CipherNameAndProtocol | null = socket.getCipher();
      return cipher?.name ?? 'unknown';
    },
    get peerCertificate() {
      return socket.getPeerX509Certificate()?.raw;
    },
  };
}
