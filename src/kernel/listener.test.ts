import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientHttp2Session, connect as connectHttp2, type IncomingHttpHeaders } from 'node:http2';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import type { Exchange } from '../http1/exchange.ts';
import { defaultLimits, defaultTimeouts } from '../http1/limits.ts';
import { ConnectionSeats } from './connection-seats.ts';
import { Listener, type ListenerOptions } from './listener.ts';
import { silentLog } from './log.ts';
import { renderRefusal } from './problem.ts';
import { rawRequest } from './testing/raw-client.ts';

const listeners: Listener[] = [];
after(() => Promise.all(listeners.map((listener) => listener.stop(0))));

async function listen(
  handle: (exchange: Exchange) => void,
  overrides: Partial<ListenerOptions> = {},
): Promise<Listener> {
  const listener = await Listener.start({
    host: '127.0.0.1',
    port: 0,
    expectsProxyHeader: false,
    log: silentLog,
    http1: {
      limits: defaultLimits,
      timeouts: defaultTimeouts,
      isLenient: false,
      now: Date.now,
      renderRefusal,
    },
    handle,
    ...overrides,
  });
  listeners.push(listener);
  return listener;
}

/** Answers with what it saw. */
async function describe(exchange: Exchange): Promise<void> {
  const { head, body, connection, requestNo } = exchange;
  const content = await body.bytes(1_000_000);
  const seen = {
    method: head.method,
    target: head.target,
    version: head.version,
    host: head.headers.first('host'),
    dup: head.headers.all('x-dup'),
    body: content.toString(),
    trailers: body.trailers,
    requestNo,
    source: connection.proxyHeader?.sourceAddress,
  };
  exchange.send(200, ['Content-Type', 'application/json', 'X-Two', 'a', 'X-Two', 'b'], JSON.stringify(seen));
}

interface Http2Answer {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly trailers: IncomingHttpHeaders | undefined;
  readonly interim: IncomingHttpHeaders[];
}

async function http2Request(
  session: ClientHttp2Session,
  headers: Record<string, string | string[]>,
  body?: string,
  trailers?: Record<string, string>,
): Promise<Http2Answer> {
  const stream = session.request(headers, {
    endStream: body === undefined,
    waitForTrailers: trailers !== undefined,
  });
  if (trailers) stream.on('wantTrailers', () => stream.sendTrailers(trailers));
  if (body !== undefined) stream.end(body);
  const interim: IncomingHttpHeaders[] = [];
  let trailing: IncomingHttpHeaders | undefined;
  stream.on('headers', (fields) => interim.push(fields));
  stream.on('trailers', (fields) => {
    trailing = fields;
  });
  const [answerHeaders] = (await once(stream, 'response')) as [IncomingHttpHeaders];
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) text += chunk;
  return { headers: answerHeaders, body: text, trailers: trailing, interim };
}

test('HTTP/1.1 and HTTP/2 with prior knowledge are served on one port in the same shape', async () => {
  const listener = await listen(describe);
  const first = await rawRequest(
    listener.port,
    'POST /a?b=c HTTP/1.1\r\nHost: x.test\r\nX-Dup: 1\r\nX-Dup: 2\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi',
  );
  const session = connectHttp2(`http://127.0.0.1:${listener.port}`);
  const second = await http2Request(
    session,
    { ':method': 'POST', ':path': '/a?b=c', ':authority': 'x.test', 'x-dup': ['1', '2'] },
    'hi',
  );
  session.close();
  const expected = {
    method: 'POST',
    target: '/a?b=c',
    host: 'x.test',
    dup: ['1', '2'],
    body: 'hi',
    requestNo: 1,
  };
  assert.deepEqual(JSON.parse(first.body.toString()), { ...expected, version: '1.1', trailers: [] });
  assert.deepEqual(JSON.parse(second.body), { ...expected, version: '2', trailers: [] });
  assert.equal(second.headers['x-two'], 'a, b');
});

test('a preface that arrives byte by byte is still HTTP/2', async () => {
  const listener = await listen(describe);
  const socket = connect(listener.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.setNoDelay(true);
  for (const byte of Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')) {
    socket.write(Buffer.of(byte));
    await new Promise((resolve) => setImmediate(resolve));
  }
  // An empty SETTINGS frame; the server's own comes first in its answer.
  socket.write(Buffer.from('000000040000000000', 'hex'));
  const [frame] = (await once(socket, 'data')) as [Buffer];
  assert.equal(frame[3], 4, 'a SETTINGS frame');
  socket.destroy();
});

test('an HTTP/2 client that closes its half is not waited for', async () => {
  const listener = await listen(describe);
  const socket = connect(listener.port, '127.0.0.1').resume();
  socket.end('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
  await once(socket, 'close', { signal: AbortSignal.timeout(5000) });
});

test('what only looks like the preface at first is HTTP/1.1', async () => {
  const listener = await listen(describe);
  const { status, body } = await rawRequest(
    listener.port,
    'PRI /x HTTP/1.1\r\nHost: x.test\r\nConnection: close\r\n\r\n',
  );
  assert.equal(status, 200);
  assert.equal(JSON.parse(body.toString()).method, 'PRI');
});

test('HTTP/2 carries interim answers, streamed bodies and trailers both ways', async () => {
  const listener = await listen(async (exchange) => {
    exchange.sendInterim(103, ['Link', '</style.css>; rel=preload']);
    await exchange.body.discard(1024);
    const out = exchange.startBody(200, ['Content-Type', 'text/plain', 'Connection', 'keep-alive']);
    await out.write(JSON.stringify(exchange.body.trailers));
    await out.end(['X-Sum', '42']);
  });
  const session = connectHttp2(`http://127.0.0.1:${listener.port}`);
  const answer = await http2Request(session, { ':method': 'POST', ':path': '/' }, 'body', {
    'x-check': 'yes',
  });
  session.close();
  assert.equal(answer.interim[0]?.[':status'], 103);
  assert.equal(answer.body, '["x-check","yes"]');
  assert.equal(answer.trailers?.['x-sum'], '42');
  assert.equal(answer.headers.connection, undefined, 'connection fields are malformed in HTTP/2');
});

test('HTTP/2 HEAD has the length but no body, and a too large body is refused', async () => {
  const listener = await listen(async (exchange) => {
    try {
      await exchange.body.bytes(10);
      exchange.send(200, ['Content-Type', 'text/plain'], 'twelve bytes');
    } catch (error) {
      exchange.send(413, [], (error as Error).message);
    }
  });
  const session = connectHttp2(`http://127.0.0.1:${listener.port}`);
  const head = await http2Request(session, { ':method': 'HEAD', ':path': '/' });
  assert.equal(head.headers['content-length'], '12');
  assert.equal(head.body, '');
  const refused = await http2Request(session, { ':method': 'POST', ':path': '/' }, 'x'.repeat(11));
  assert.equal(refused.headers[':status'], 413);
  session.close();
});

test('an HTTP/2 client that resets its stream aborts the exchange', async () => {
  const arrived = Promise.withResolvers<AbortSignal>();
  const listener = await listen((exchange) => arrived.resolve(exchange.signal));
  const session = connectHttp2(`http://127.0.0.1:${listener.port}`);
  const stream = session.request({ ':path': '/' });
  stream.on('error', () => {});
  const signal = await arrived.promise;
  assert.equal(signal.aborted, false);
  const aborted = once(signal, 'abort');
  stream.close(8);
  await aborted;
  session.destroy();
});

test('an extended CONNECT looks like an upgrade and becomes a connection', async () => {
  const listener = await listen((exchange) => {
    const { method, target, headers } = exchange.head;
    const connection = exchange.upgrade(['Sec-WebSocket-Protocol', 'chat']);
    connection?.write(`${method} ${target} ${headers.first('upgrade')} `);
    connection?.pipe(connection);
  });
  const session = connectHttp2(`http://127.0.0.1:${listener.port}`);
  await once(session, 'remoteSettings');
  const stream = session.request(
    { ':method': 'CONNECT', ':protocol': 'websocket', ':path': '/ws' },
    { endStream: false },
  );
  const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders];
  assert.equal(headers[':status'], 200);
  assert.equal(headers['sec-websocket-protocol'], 'chat');
  stream.end('and back');
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) text += chunk;
  assert.equal(text, 'GET /ws websocket and back');
  session.close();
});

test('connections are told apart by whether a request is on them', async () => {
  const held: Exchange[] = [];
  const listener = await listen((exchange) => void held.push(exchange));
  const untilUsage = async (active: number, idle: number) => {
    const giveUpAtMs = performance.now() + 5000;
    for (;;) {
      const usage = listener.connectionUsage();
      if (usage.active === active && usage.idle === idle) return;
      assert.ok(performance.now() < giveUpAtMs, `${JSON.stringify(usage)}, not ${active} and ${idle}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  await untilUsage(0, 0);
  const plain = connect(listener.port, '127.0.0.1').resume();
  plain.write('GET / HTTP/1.1\r\nHost: x.test\r\n\r\n');
  await untilUsage(1, 0);
  const session = connectHttp2(`http://127.0.0.1:${listener.port}`);
  const streams = ['/a', '/b'].map((path) => session.request({ ':path': path }).resume());
  await untilUsage(2, 0);
  held[0]!.send(200, [], 'done');
  await untilUsage(1, 1);
  held[1]!.send(200, [], 'done');
  await once(streams[0]!, 'close');
  await untilUsage(1, 1);
  held[2]!.send(200, [], 'done');
  await untilUsage(0, 2);
  plain.destroy();
  session.close();
  await untilUsage(0, 0);
});

test('with the PROXY protocol the client of the proxy is known, and a connection without the header is closed', async () => {
  const listener = await listen(describe, { expectsProxyHeader: true });
  const request = 'GET / HTTP/1.1\r\nHost: x.test\r\nConnection: close\r\n\r\n';
  const proxied = await rawRequest(listener.port, `PROXY TCP4 192.0.2.9 198.51.100.1 4711 80\r\n${request}`);
  assert.equal(JSON.parse(proxied.body.toString()).source, '192.0.2.9');
  const bare = await rawRequest(listener.port, request);
  assert.equal(bare.wire.length, 0);
});

test('a connection that never says anything is dropped, and stopping waits only for running exchanges', async () => {
  const listener = await listen(describe, {
    http1: {
      limits: defaultLimits,
      timeouts: { ...defaultTimeouts, idleMs: 30 },
      isLenient: false,
      now: Date.now,
      renderRefusal,
    },
  });
  const silent = connect(listener.port, '127.0.0.1').resume();
  await once(silent, 'close');

  const { promise: begun, resolve: begin } = Promise.withResolvers<Exchange>();
  const slow = await listen(begin);
  const idle = connect(slow.port, '127.0.0.1').resume();
  await once(idle, 'connect');
  const running = rawRequest(slow.port, 'GET / HTTP/1.1\r\nHost: x.test\r\n\r\n');
  const exchange = await begun;
  const stopped = slow.stop(5000);
  exchange.send(200, [], 'late');
  await stopped;
  assert.equal((await running).body.toString(), 'late');
});

test('holds only so many connections over all its ports, and tells once that it is full', async () => {
  const told: unknown[] = [];
  const log = { ...silentLog, warn: (line: { event: string }) => told.push(line.event) } as typeof silentLog;
  const seats = new ConnectionSeats(2, log);
  const [one, other] = await Promise.all([listen(describe, { seats }), listen(describe, { seats })]);
  const held = [connect(one.port, '127.0.0.1'), connect(other.port, '127.0.0.1')];
  await Promise.all(held.map((socket) => once(socket, 'connect')));
  for (const { port } of [one, other, one]) {
    const refused = connect(port, '127.0.0.1').resume();
    refused.on('error', () => {});
    await once(refused, 'close');
    assert.equal(refused.bytesRead, 0);
  }
  assert.deepEqual(told, ['connections.full']);

  held[0]!.destroy();
  await untilTrue(() => told.length === 2);
  const answer = await rawRequest(one.port, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  assert.equal(answer.status, 200);
  assert.deepEqual(told, ['connections.full', 'connections.relieved']);
  held[1]!.destroy();
});

async function untilTrue(condition: () => boolean): Promise<void> {
  const giveUpAtMs = performance.now() + 10_000;
  while (!condition()) {
    assert.ok(performance.now() < giveUpAtMs);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
