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
    let unread = '';
    socket.on('error', () => {});
    socket.on('close', () => this.openCount--);
    socket.on('data', (bytes) => {
      connection.received += bytes.toString('latin1');
      unread += bytes.toString('latin1');
      for (let end = requestEnd(unread); end > 0; end = requestEnd(unread)) {
        const request = unread.slice(0, end);
        unread = unread.slice(end);
        connection.requestCount++;
        script.onRequest?.(connection, request);
      }
    });
    script.onConnection?.(connection);
  }
}

/** Where the first request ends, or 0 while it is unfinished. */
function requestEnd(text: string): number {
  const headEnd = text.indexOf('\r\n\r\n') + 4;
  if (headEnd < 4) return 0;
  if (/^transfer-encoding:/im.test(text.slice(0, headEnd))) {
    const last = text.indexOf('0\r\n\r\n', headEnd);
    return last < 0 ? 0 : last + 5;
  }
  const length = Number(/^content-length: *(\d+)/im.exec(text.slice(0, headEnd))?.[1] ?? 0);
  return text.length < headEnd + length ? 0 : headEnd + length;
}

export function ok(body = '', ...fields: string[]): string {
  return ['HTTP/1.1 200 OK', `Content-Length: ${body.length}`, ...fields, '', body].join('\r\n');
}
