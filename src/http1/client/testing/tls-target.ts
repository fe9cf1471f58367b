import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type TLSSocket, type TlsOptions } from 'node:tls';
import type { ClientRequest } from '../client-request.ts';
import { ok } from './raw-target.ts';
import { testCertificates, testKey } from './tls-certificates.ts';

/** A target behind TLS that answers every request with `ok`. */
export class TlsTarget implements AsyncDisposable {
  readonly sockets: TLSSocket[] = [];
  /** The names that clients asked for, false where they asked for none. */
  readonly serverNames: (string | false | null | undefined)[] = [];
  /** Whether the handshakes resumed a session. */
  readonly resumptions: boolean[] = [];
  requestCount = 0;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(options: TlsOptions = {}): Promise<TlsTarget> {
    const server = createServer({ key: testKey, cert: testCertificates.localhost, ...options });
    const target = new TlsTarget(server);
    server.on('tlsClientError', () => {});
    server.on('secureConnection', (socket) => {
      target.sockets.push(socket);
      target.serverNames.push(socket.servername);
      target.resumptions.push(socket.isSessionReused());
      socket.on('error', () => {});
      socket.on('data', () => {
        target.requestCount++;
        socket.write(ok('ok'));
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return target;
  }

  request(host = '127.0.0.1'): ClientRequest {
    const { port } = this.#server.address() as AddressInfo;
    return { origin: { protocol: 'https:', host, port }, method: 'GET', target: '/', headers: [] };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
