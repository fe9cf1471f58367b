import type { Duplex } from 'node:stream';
import type { HeaderList, HeaderPairs } from './header-list.ts';

/**
 * One request and its answer. HTTP/1.1 (this folder) and HTTP/2 (the kernel) give handlers the same shape,
 * so that a handler never asks which protocol carries it.
 */
export interface Exchange {
  readonly head: RequestHead;
  readonly body: RequestBody;
  readonly connection: ConnectionInfo;
  /** The first request of a connection is 1. */
  readonly requestNo: number;
  /** Aborts when the client leaves before its answer is complete. */
  readonly signal: AbortSignal;
  /** True once a final answer was begun or the socket was taken. */
  readonly isAnswered: boolean;

  /** An interim 1xx answer. HTTP/1.0 clients get none (RFC 9110 §15.2). */
  sendInterim(status: number, headers?: HeaderPairs): void;
  /** A whole answer. Content-Length is computed unless given; bodies of HEAD, 204 and 304 are not sent. */
  send(status: number, headers: HeaderPairs, body?: string | Uint8Array | null, reason?: string): void;
  /** An answer whose body follows. Without a Content-Length it is chunked (HTTP/1.0: ended by close). */
  startBody(status: number, headers: HeaderPairs, reason?: string): BodyWriter;
  /** Switches protocols and hands over the connection: by a 101, or on HTTP/2 by accepting an extended CONNECT (RFC 8441). Undefined when it cannot be. */
  upgrade(headers: HeaderPairs): UpgradedStream | undefined;
  /** Hands over the bare socket for answers no correct server may give. Undefined on HTTP/2. */
  takeSocket(): RawSocket | undefined;
  /** The connection closes after this answer. */
  closeAfterAnswer(): void;
  /** What only HTTP/2 can do to a stream and its connection; undefined on HTTP/1.1. */
  readonly http2?: Http2Controls | undefined;
}

/** Frames beyond the answer itself, for tests of how a client takes them. */
export interface Http2Controls {
  /**
   * GOAWAY. Either this stream is the last one processed (the usual), and may still be answered, or it never was: then the
   * connection ends with the frame, and the client may ask again elsewhere.
   */
  goAway(errorCode: number, isProcessed?: boolean): void;
  /** RST_STREAM: ends this exchange, whatever of it was answered. */
  resetStream(errorCode: number): void;
  /** Empty SETTINGS frames, each of which the client must acknowledge. Resolves when it did, or has left. */
  floodSettings(count: number): Promise<void>;
}

export interface RequestHead {
  /** Any token, casing as sent. */
  readonly method: string;
  /** The request target exactly as sent, one character per byte. */
  readonly target: string;
  readonly version: '1.0' | '1.1' | '2';
  readonly headers: HeaderList;
  /** The head as it came over the wire, up to and with the empty line. On HTTP/2 undefined. */
  readonly wireBytes: Buffer | undefined;
  /** The fields as they came, pseudo-header fields included. HTTP/2 only. */
  readonly http2Fields?: HeaderPairs;
}

/** What a request body is read by. Reading sends the 100 (Continue) an `Expect` asks for. */
export interface RequestBody extends AsyncIterable<Buffer> {
  /** False when the message has no body at all. */
  readonly isPresent: boolean;
  /** Declared length, undefined when chunked or absent. */
  readonly declaredLength: number | undefined;
  /** How the bytes were framed on the wire. */
  readonly framing: 'none' | 'length' | 'chunked' | 'stream';
  /** Bytes of the content received so far. */
  readonly receivedLength: number;
  /** Fields after the content; complete when the body was read to its end. */
  readonly trailers: HeaderPairs;
  /** Sizes of the chunks seen so far, as framed by the sender; bounded, empty unless chunked. */
  readonly chunkSizes: readonly number[];
  /** The whole content, kept. More than maxBytes rejects with the Refusal `body-too-large`. */
  bytes(maxBytes: number): Promise<Buffer>;
  /**
   * Whoever reads in parts and keeps them says how much it keeps in all. Throws the Refusal `too-much-content` when
   * that is more than is left for it beside all other exchanges.
   */
  keeps(byteCount: number): void;
  /**
   * Lets the client pause for so long between its bytes, however few they are: where a request is one half of a
   * conversation. Only HTTP/2 has such requests.
   */
  allowPauses?(pauseMs: number): void;
  /** Reads the content and forgets it. More than maxBytes rejects with the Refusal `body-too-large`. */
  discard(maxBytes: number): Promise<void>;
}

export interface BodyWriter {
  /** True when nothing written reaches the client (HEAD, 204, 304). */
  readonly isDiscarding: boolean;
  /**
   * Returns a promise only while the client is slower than the writer; rejects with ClientGone when it left.
   * The bytes are not copied: they must not change afterwards.
   */
  write(chunk: string | Uint8Array): Promise<void> | undefined;
  /** Ends the body; trailers exclude a Content-Length, and HTTP/1.0 gets none. Resolves when everything was handed to the system. */
  end(trailers?: HeaderPairs): Promise<void>;
  /** Breaks the answer off so that the client can tell (reset on HTTP/2, close on HTTP/1.1). */
  abort(): void;
}

/** The connection after a protocol switch. Whoever takes it also ends it. */
export interface UpgradedStream extends Duplex {
  /** Ends it so that the client sees a failure: RST, on HTTP/2 RST_STREAM with CANCEL (RFC 8441 §5). */
  reset(): void;
}

/** The bare connection below an HTTP/1.1 exchange. Whoever takes it also closes it. */
export interface RawSocket {
  write(bytes: string | Uint8Array): Promise<void>;
  /** Closes with FIN once everything written has left. */
  close(): void;
  /** Closes with RST. */
  reset(): void;
}

export interface ConnectionInfo {
  readonly id: string;
  readonly openedAtMs: number;
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly localAddress: string;
  readonly localPort: number;
  /** What a PROXY protocol header said, when the listener reads one. */
  readonly proxyHeader: ProxyHeader | undefined;
  readonly tls: TlsInfo | undefined;
}

export interface ProxyHeader {
  readonly version: 1 | 2;
  readonly command: 'PROXY' | 'LOCAL';
  readonly sourceAddress: string;
  readonly sourcePort: number;
  readonly destinationAddress: string;
  readonly destinationPort: number;
}

export interface TlsInfo {
  readonly version: string;
  readonly cipher: string;
  readonly serverName: string | undefined;
  readonly alpn: string | undefined;
  /** DER of the certificate the client showed. */
  readonly peerCertificate: Buffer | undefined;
  /** Why that certificate is not trusted, in the code of the TLS library; undefined when it is. */
  readonly peerError?: string | undefined;
}

/** The client left before its answer was complete. Nobody is there to be told; handlers let it pass. */
export class ClientGone extends Error {
  constructor() {
    super('the client closed the connection');
    this.name = 'ClientGone';
  }
}
