import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { ClientOrigin, ClientRequest } from '../client-request.ts';

/** A connection as the target sees it. */
export interface TargetConnection {
  readonly socket: Socket;
  readonly index: number;
  /** Latin-1. */
  received: string;
  /** Requests that came whole, by their Content-Length. */
  requestCount: number;
}

export interface TargetScript {
  readonly onConnection?: (connection: TargetConnection) => void;
  readonly onRequest?: (connection: TargetConnection, request: string) => void;
  /** Reads nothing until the script resumes the socket. */
  readonly isPaused?: boolean;
}

/** A target of bare sockets that does what its script says, and counts. */
export class RawTarget implements AsyncDisposable {
  readonly connections: TargetConnection[] = [];
  openCount = 0;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(script: TargetScript = {}, host = '127.0.0.1'): Promise<RawTarget> {
    const server = createServer({ noDelay: true, pauseOnConnect: script.isPaused ?? false });
    const target = new RawTarget(server);
    server.on('connection', (socket) => target.#accept(socket, script));
    server.listen(0, host);
    await once(server, 'listening');
    return target;
  }

  get origin(): ClientOrigin {
    return { protocol: 'http:', host: '127.0.0.1', port: (this.#server.address() as AddressInfo).port };
  }

  /** `GET /` unless said otherwise. */
  request(parts: Partial<ClientRequest> = {}): ClientRequest {
    return { origin: this.origin, method: 'GET', target: '/', headers: [], ...parts };
  }

  /** Waits until nobody is connected. */
  async untilAllClosed(): Promise<void> {
    // A socket that is not read does not hear of its end.
    for (const { socket } of this.connections) socket.resume();
    while (this.openCount > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { socket } of this.connections) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #accept(socket: Socket, script: TargetScript): void {
    const connection = { socket, index: this.connections.length, received: '', requestCount: 0 };
    this.connections.push(connection);
    this.openCount++;
    const reader = new RequestReader();
    socket.on('error', () => {});
    socket.on('close', () => this.openCount--);
    socket.on('data', (bytes: Buffer) => {
      if (connection.received.length < MAX_KEPT_CHARACTERS) connection.received += bytes.toString('latin1');
      for (const request of reader.read(bytes)) {
        connection.requestCount++;
        script.onRequest?.(connection, request);
      }
    });
    script.onConnection?.(connection);
  }
}

const MAX_KEPT_CHARACTERS = 256 * 1024;
const LAST_CHUNK = '0\r\n\r\n';

/** Finds the ends of requests. Of a long body only the length is looked at. */
class RequestReader {
  #text = '';
  #missingBytes = 0;

  *read(bytes: Buffer): Generator<string> {
    const skipped = Math.min(this.#missingBytes, bytes.length);
    this.#missingBytes -= skipped;
    if (skipped > 0 && this.#missingBytes === 0) yield this.#take(this.#text.length);
    this.#text += bytes.toString('latin1', skipped);
    for (let end = this.#end(); end > 0; end = this.#end()) yield this.#take(end);
  }

  #take(end: number): string {
    const request = this.#text.slice(0, end);
    this.#text = this.#text.slice(end);
    return request;
  }

  /** Where the first request ends, or 0 while it is unfinished. */
  #end(): number {
    const text = this.#text;
    const headEnd = text.indexOf('\r\n\r\n') + 4;
    if (this.#missingBytes > 0 || headEnd < 4) return 0;
    if (/^transfer-encoding:/im.test(text.slice(0, headEnd))) {
      const last = text.indexOf(LAST_CHUNK, headEnd);
      if (last >= 0) return last + LAST_CHUNK.length;
      if (text.length > MAX_KEPT_CHARACTERS)
        this.#text = text.slice(0, headEnd) + text.slice(-LAST_CHUNK.length);
      return 0;
    }
    const length = Number(/^content-length: *(\d+)/im.exec(text.slice(0, headEnd))?.[1] ?? 0);
    if (text.length >= headEnd + length) return headEnd + length;
    this.#missingBytes = headEnd + length - text.length;
    return 0;
  }
}

export function ok(body = '', ...fields: string[]): string {
  return ['HTTP/1.1 200 OK', `Content-Length: ${body.length}`, ...fields, '', body].join('\r\n');
}
