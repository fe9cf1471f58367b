import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { serveHttp1 } from './connection.ts';
import type { Exchange } from './exchange.ts';
import { defaultLimits, defaultTimeouts } from './limits.ts';
import { get, TestClient } from './testing/loopback.ts';

// A shared key needs no certificate.
const cipher = { ciphers: 'PSK', minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' } as const;
const psk = Buffer.alloc(16, 7);

async function overTls(
  onExchange: (exchange: Exchange) => void,
  run: (client: TestClient) => Promise<void>,
): Promise<void> {
  const server = createServer({ ...cipher, pskCallback: () => psk }, (socket) => {
    serveHttp1(socket, undefined, {} as never, {
      limits: defaultLimits,
      timeouts: defaultTimeouts,
      isLenient: false,
      now: Date.now,
      onExchange,
      renderRefusal: ({ key }) => ({ headers: [], body: key }),
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket: TLSSocket = connect({
    ...cipher,
    port: (server.address() as AddressInfo).port,
    host: '127.0.0.1',
    pskCallback: () => ({ psk, identity: 'test' }),
    checkServerIdentity: () => undefined,
  });
  await once(socket, 'secureConnect');
  try {
    await run(new TestClient(socket));
  } finally {
    socket.destroy();
    server.close();
    await once(server, 'close');
  }
}

describe('HTTP/1.1 over TLS', () => {
  it('answers pipelined requests with small and large bodies', async () => {
    await overTls(
      (exchange) => exchange.send(200, [], 'x'.repeat(Number(exchange.head.target.slice(1)))),
      async (client) => {
        client.write(get('/10') + get('/300000') + get('/5', 'Connection: close'));
        assert.equal(await client.ended, 'fin');
        assert.equal(client.received.match(/x/g)?.length, 300_015);
      },
    );
  });

  it('resets the connection below', async () => {
    await overTls(
      (exchange) => {
        const socket = exchange.takeSocket()!;
        void socket.write('HTTP/1.1 200 OK\r\n\r\n').then(() => setTimeout(() => socket.reset(), 20));
      },
      async (client) => {
        client.write(get('/'));
        assert.equal(await client.ended, 'reset');
        assert.equal(client.received, 'HTTP/1.1 200 OK\r\n\r\n');
      },
    );
  });

  it('breaks off with FIN', async () => {
    await overTls(
      (exchange) => {
        const out = exchange.startBody(200, []);
        void Promise.resolve(out.write('abc')).then(() => out.abort());
      },
      async (client) => {
        client.write(get('/'));
        assert.equal(await client.ended, 'fin');
        assert.match(client.received, /3\r\nabc\r\n$/);
      },
    );
  });
});
