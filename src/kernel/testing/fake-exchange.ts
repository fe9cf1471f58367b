import type {
  BodyWriter,
  ConnectionInfo,
  Exchange,
  RawSocket,
  RequestBody,
  RequestHead,
} from '../../http1/exchange.ts';
import { HeaderList, type HeaderPairs } from '../../http1/header-list.ts';
import { Refusal } from '../../http1/refusals.ts';

/** What a fake exchange was answered with. */
export interface SentAnswer {
  readonly status: number;
  readonly headers: HeaderPairs;
  readonly reason: string | undefined;
  /** Whole bodies as text; streamed ones piece by piece. */
  readonly body: string | null | undefined;
  readonly pieces: string[];
  isEnded: boolean;
  isAborted: boolean;
}

export interface FakeRequest {
  readonly method?: string;
  readonly target?: string;
  readonly headers?: HeaderPairs;
  readonly body?: string | Uint8Array;
  /** HTTP/2 has no bare socket to take. */
  readonly version?: RequestHead['version'];
}

/** An exchange without a connection: tests of the catalogue look at what was sent on it. */
export class FakeExchange implements Exchange {
  readonly head: RequestHead;
  readonly body: RequestBody;
  readonly connection: ConnectionInfo = {
    id: 'fake-1',
    openedAtMs: 0,
    remoteAddress: '192.0.2.1',
    remotePort: 50_000,
    localAddress: '192.0.2.2',
    localPort: 80,
    proxyHeader: undefined,
    tls: undefined,
  };
  readonly requestNo = 1;
  readonly clientLeaves = new AbortController();
  readonly signal = this.clientLeaves.signal;
  sent: SentAnswer | undefined;
  /** What was written on the bare socket, and how it was closed. */
  readonly raw: string[] = [];
  #isTaken = false;

  constructor({ method = 'GET', target = '/', headers = [], body, version = '1.1' }: FakeRequest) {
    this.head = { method, target, version, headers: new HeaderList(headers), wireBytes: undefined };
    this.body = fakeBody(body === undefined ? undefined : Buffer.from(body));
  }

  get isAnswered(): boolean {
    return this.#isTaken || this.sent !== undefined;
  }

  sendInterim(): void {}

  send(status: number, headers: HeaderPairs, body?: string | Uint8Array | null, reason?: string): void {
    this.#refuseSecondAnswer();
    if (headers.some((field) => /[\r\n]/.test(field))) throw new Error('a header field is invalid');
    const text = body instanceof Uint8Array ? Buffer.from(body).toString('latin1') : body;
    this.sent = { status, headers, reason, body: text, pieces: [], isEnded: true, isAborted: false };
  }

  startBody(status: number, headers: HeaderPairs, reason?: string): BodyWriter {
    this.#refuseSecondAnswer();
    const sent: SentAnswer = {
      status,
      headers,
      reason,
      body: undefined,
      pieces: [],
      isEnded: false,
      isAborted: false,
    };
    this.sent = sent;
    return {
      isDiscarding: this.head.method === 'HEAD' || status === 204 || status === 304,
      write: (chunk) => {
        sent.pieces.push(Buffer.from(chunk as string).toString('latin1'));
        return undefined;
      },
      end: async () => {
        sent.isEnded = true;
      },
      abort: () => {
        sent.isAborted = true;
      },
    };
  }

  upgrade(): undefined {
    return undefined;
  }

  takeSocket(): RawSocket | undefined {
    this.#refuseSecondAnswer();
    if (this.head.version === '2') return undefined;
    this.#isTaken = true;
    return {
      write: async (bytes) => {
        this.raw.push(Buffer.from(bytes as string).toString('latin1'));
      },
      close: () => {
        this.raw.push('FIN');
      },
      reset: () => {
        this.raw.push('RST');
      },
    };
  }

  closeAfterAnswer(): void {}

  #refuseSecondAnswer(): void {
    if (this.isAnswered) throw new Error('the exchange is already answered');
  }
}

function fakeBody(content: Buffer | undefined): RequestBody {
  const refuseLarger = (maxBytes: number) => {
    if (content && content.length > maxBytes) throw new Refusal('body-too-large', { maxBytes });
  };
  return {
    isPresent: content !== undefined,
    declaredLength: content?.length,
    framing: content === undefined ? 'none' : 'length',
    receivedLength: content?.length ?? 0,
    trailers: [],
    chunkSizes: [],
    bytes: async (maxBytes) => {
      refuseLarger(maxBytes);
      return content ?? Buffer.alloc(0);
    },
    keeps: () => {},
    discard: async (maxBytes) => refuseLarger(maxBytes),
    async *[Symbol.asyncIterator]() {
      if (content) yield content;
    },
  };
}
