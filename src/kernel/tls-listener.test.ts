import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTcp, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import type { Exchange } from '../http1/exchange.ts';
import { defaultLimits, defaultTimeouts } from '../http1/limits.ts';
import { Listener, type ListenerOptions } from './listener.ts';
import { silentLog } from './log.ts';
import { renderRefusal } from './problem.ts';
import { rawRequest } from './testing/raw-client.ts';
import { localhostIdentity, strangerIdentity, type TestIdentity } from './testing/tls-identities.ts';
import { TlsListener, type TlsListenerOptions, type TlsServing } from './tls-listener.ts';

const identity = localhostIdentity;
const serving: TlsServing = { ...identity, ALPNProtocols: ['h2', 'http/1.1'] };

const listeners: Array<{ stop(deadlineMs: number): Promise<void> }> = [];
after(() => Promise.all(listeners.map((listener) => listener.stop(0))));

const options: ListenerOptions = {
  host: '127.0.0.1',
  port: 0,
  expectsProxyHeader: false,
  log: silentLog,
  http1: { limits: defaultLimits, timeouts: defaultTimeouts, isLenient: false, now: Date.now, renderRefusal },
  handle: describe,
};

/** Answers with what it knows of the connection. */
function describe(exchange: Exchange): void {
  const { tls, ...rest } = exchange.connection;
  const peer = tls?.peerCertificate?.toString('base64');
  exchange.send(200, [], JSON.stringify({ ...rest, ...tls, peer, http: exchange.head.version }));
}

async function listen(
  overrides: Partial<TlsListenerOptions> = {},
  how: TlsServing | null = serving,
): Promise<TlsListener> {
  const listener = await TlsListener.start({
    ...options,
    handshakeTimeoutMs: 2_000,
    maxHandshakes: 100,
    ...overrides,
  });
  if (how) listener.serve(how);
  listeners.push(listener);
  return listener;
}

function client(port: number, changes: ConnectionOptions = {}): TLSSocket {
  return connect({
    host: '127.0.0.1',
    port,
    servername: 'localhost',
    ca: identity.cert,
    ALPNProtocols: ['http/1.1'],
    ...changes,
  });
}

async function get(port: number, changes: ConnectionOptions = {}): Promise<Record<string, unknown>> {
  const socket = client(port, changes);
  await once(socket, 'secureConnect');
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  let text = '';
  for await (const chunk of socket) text += chunk;
  return JSON.parse(text.slice(text.indexOf('\r\n\r\n')));
}

function derOf({ cert }: TestIdentity): string {
  return new X509Certificate(cert).raw.toString('base64');
}

async function idleConnection(port: number): Promise<Socket> {
  const socket = connectTcp(port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

test('a handler sees version, cipher, server name and ALPN of the connection', async () => {
  const { port } = await listen();
  const seen = await get(port);
  assert.equal(seen.version, 'TLSv1.3');
  assert.match(String(seen.cipher), /^TLS_/);
  assert.equal(seen.serverName, 'localhost');
  assert.equal(seen.alpn, 'http/1.1');
  assert.equal(seen.peer, undefined);
  assert.equal(seen.localPort, port);
});

test('a client that offers no ALPN is served HTTP/1.1', async () => {
  const { port } = await listen();
  const seen = await get(port, { ALPNProtocols: [] });
  assert.deepEqual([seen.http, seen.alpn], ['1.1', undefined]);
});

test('a client that chooses h2 is served HTTP/2', async () => {
  const { port } = await listen();
  const session = connectHttp2(`https://localhost:${port}`, {
    createConnection: () => client(port, { ALPNProtocols: ['h2'] }),
  });
  const stream = session.request({ ':path': '/' });
  let text = '';
  for await (const chunk of stream) text += chunk;
  session.close();
  const seen = JSON.parse(text);
  assert.deepEqual([seen.http, seen.alpn, seen.serverName], ['2', 'h2', 'localhost']);
});

test('a client that offers no ALPN where only h2 is spoken is let go', async () => {
  const { port } = await listen({}, { ...identity, ALPNProtocols: ['h2'] });
  const socket = client(port, { ALPNProtocols: [] });
  socket.on('error', () => {});
  await once(socket, 'close');
});

test("a client's certificate is seen, and whether it is trusted", async () => {
  const { port } = await listen(
    {},
    { ...serving, ca: identity.cert, requestCert: true, rejectUnauthorized: false },
  );
  const trusted = await get(port, { ...identity });
  assert.equal(trusted.peer, derOf(identity));
  assert.equal(trusted.peerError, undefined);
  const stranger = await get(port, { ...strangerIdentity });
  assert.equal(stranger.peer, derOf(strangerIdentity));
  assert.equal(stranger.peerError, 'DEPTH_ZERO_SELF_SIGNED_CERT');
});

test('the PROXY protocol header stands before the handshake', async () => {
  const { port } = await listen({ expectsProxyHeader: true });
  const below = connectTcp(port, '127.0.0.1');
  below.write('PROXY TCP4 192.0.2.1 192.0.2.2 1111 443\r\n');
  const seen = await get(port, { socket: below });
  assert.equal((seen.proxyHeader as { sourceAddress: string }).sourceAddress, '192.0.2.1');
});

test('clients that come before the certificate wait for it', async () => {
  const listener = await listen({}, null);
  assert.equal(listener.isServing, false);
  const early = get(listener.port);
  await new Promise((resolve) => setTimeout(resolve, 50));
  listener.serve(serving);
  assert.equal((await early).alpn, 'http/1.1');
});

test('new connections get the new certificate, without a pause', async () => {
  const listener = await listen();
  await get(listener.port);
  listener.serve({ ...serving, maxVersion: 'TLSv1.2' });
  assert.equal((await get(listener.port)).version, 'TLSv1.2');
});

test('a request in the clear is told that TLS is spoken, and the connection ends', async () => {
  const { port } = await listen();
  const answer = await rawRequest(port, 'GET /path?x=1 HTTP/1.1\r\nHost: h\r\n\r\n');
  assert.equal(answer.status, 400);
  assert.equal(answer.header('content-type'), 'application/problem+json');
  assert.equal(answer.header('connection'), 'close');
  const { type, instance } = JSON.parse(answer.body.toString());
  // The TLS library has taken the request line: no path is better than a wrong one.
  assert.deepEqual([type, instance], ['/problems/tls.required', undefined]);
});

test('a method that the TLS library does not know as one gets an alert and a close', async () => {
  const { port } = await listen();
  const socket = await idleConnection(port);
  socket.resume().write('DELETE /path HTTP/1.1\r\nHost: h\r\n\r\n');
  await once(socket, 'close');
});

test('bytes that are neither get an alert and a close, and are counted', async () => {
  const listener = await listen();
  const socket = await idleConnection(listener.port);
  socket.write(Buffer.from([0x16, 9, 9, 0, 5, 1, 2, 3, 4, 5]));
  await once(socket, 'close');
  assert.equal(listener.counts.handshakes, 0);
  assert.equal(
    Object.values(listener.counts.failures).reduce((sum, count) => sum + count, 0),
    1,
  );
});

test('whoever says nothing, or only half of a hello, is let go in time', async () => {
  const { port } = await listen({ handshakeTimeoutMs: 200 });
  const silent = await idleConnection(port);
  const halting = await idleConnection(port);
  halting.write(Buffer.from([0x16, 3, 1, 2, 0, 1]));
  await Promise.all([once(silent, 'close'), once(halting, 'close')]);
});

test('a flood of unfinished handshakes pushes out its oldest, never a client in earnest', async () => {
  const listener = await listen({ maxHandshakes: 20, handshakeTimeoutMs: 60_000 });
  const flood = await Promise.all(Array.from({ length: 100 }, () => idleConnection(listener.port)));
  for (const socket of flood) if (!socket.destroyed) socket.write(Buffer.from([0x16, 3, 1]));
  assert.equal((await get(listener.port)).version, 'TLSv1.3');
  assert.ok(listener.counts.failures.PUSHED_OUT! >= 80);
  for (const socket of flood) socket.destroy();
});

test('a TLS client on a plain port gets a fatal alert and a close', async () => {
  const listener = await Listener.start(options);
  listeners.push(listener);
  const socket = client(listener.port);
  const [error] = await once(socket, 'error');
  assert.equal(error.code, 'ERR_SSL_SSL/TLS_ALERT_UNEXPECTED_MESSAGE');
});

test('stopping ends unfinished handshakes at once', async () => {
  const listener = await listen();
  const socket = await idleConnection(listener.port);
  const closed = once(socket, 'close');
  await listener.stop(10_000);
  await closed;
});
