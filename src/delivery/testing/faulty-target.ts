import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

/** A request as it came over the wire. */
export interface ReceivedRequest {
  readonly method: string;
  readonly target: string;
  /** By lower-case name; the last one of a name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Of its connection, counted from 1. */
  readonly socketNumber: number;
}

/** What the target does with a request that is here as a whole. */
export type Reaction = (request: ReceivedRequest, socket: Socket) => void | Promise<void>;

export interface FaultyTargetOptions {
  /** Instead of waiting for requests. */
  readonly onConnection?: (socket: Socket) => void;
  readonly tls?: TlsOptions;
  readonly port?: number;
}

/** A target on bare sockets that answers whatever a test tells it to, right or wrong, and counts. */
export class FaultyTarget implements AsyncDisposable {
  /** What follows in a row; the last goes on for ever. */
  reactions: Reaction[];
  readonly requests: ReceivedRequest[] = [];
  socketCount = 0;
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  readonly #isTls: boolean;
  #onRequest: (() => void)[] = [];

  private constructor(server: Server, reactions: Reaction[], { tls, onConnection }: FaultyTargetOptions) {
    this.#server = server;
    this.#isTls = tls !== undefined;
    this.reactions = reactions;
    server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => {
      this.socketCount++;
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => this.#sockets.delete(socket));
      if (onConnection) onConnection(socket);
      else this.#serve(socket, this.socketCount);
    });
    server.on('tlsClientError', () => {});
  }

  static async start(
    reactions: Reaction | Reaction[],
    options: FaultyTargetOptions = {},
  ): Promise<FaultyTarget> {
    const server = options.tls ? createTlsServer(options.tls) : createServer({ noDelay: true });
    const target = new FaultyTarget(server, [reactions].flat(), options);
    server.listen(options.port ?? 0, '127.0.0.1');
    await once(server, 'listening');
    return target;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `${this.#isTls ? 'https' : 'http'}://127.0.0.1:${this.port}`;
  }

  get openSocketCount(): number {
    return this.#sockets.size;
  }

  /** Reads on where a test did not want to: only then can it notice that the other side has gone. */
  readOn(): void {
    for (const socket of this.#sockets) socket.resume();
  }

  /** Every line of every body so far, parsed. */
  get records(): unknown[] {
    return this.requests.flatMap(({ body }) =>
      body
        .toString()
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line)),
    );
  }

  /** Resolves when so many requests have come. */
  async untilRequests(count: number): Promise<void> {
    while (this.requests.length < count)
      await new Promise<void>((resolve) => {
        this.#onRequest.push(resolve);
      });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #serve(socket: Socket, socketNumber: number): void {
    let received = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      for (let request = takeRequest(received); request; request = takeRequest(received)) {
        received = received.subarray(request.length);
        this.#react({ ...request.parts, socketNumber }, socket);
      }
    });
  }

  #react(request: ReceivedRequest, socket: Socket): void {
    this.requests.push(request);
    const reaction = this.reactions.length > 1 ? this.reactions.shift()! : this.reactions[0]!;
    void reaction(request, socket);
    for (const resolve of this.#onRequest.splice(0)) resolve();
  }
}

/** The first whole request, framed by Content-Length as all of ours are. */
export function takeRequest(bytes: Buffer) {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const [requestLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n');
  const [method = '', target = ''] = requestLine.split(' ');
  const headers = Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  );
  const length = headEnd + 4 + Number(headers['content-length'] ?? 0);
  if (bytes.length < length) return undefined;
  const body = Buffer.from(bytes.subarray(headEnd + 4, length));
  return { length, parts: { method, target, headers, body } };
}

/** Answers with a status, header lines and a body. */
export function answers(status: number, headers: readonly string[] = [], body = ''): Reaction {
  const lines = [`HTTP/1.1 ${status} Test`, ...headers, `Content-Length: ${Buffer.byteLength(body)}`];
  return (_, socket) => {
    socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
  };
}

/** Says nothing, and keeps the connection open. */
export const hangs: Reaction = () => {};

/** Writes these bytes, whatever they are, and keeps the connection open. */
export function writes(bytes: string): Reaction {
  return (_, socket) => {
    socket.write(bytes, 'latin1');
  };
}

/** Resets the connection, after some bytes if there are any. */
export function resets(after = ''): Reaction {
  return (_, socket) => {
    if (after === '') socket.resetAndDestroy();
    // The bytes must leave before the reset does.
    else socket.write(after, 'latin1', () => setTimeout(() => socket.resetAndDestroy(), 20));
  };
}
