import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClientGone, type Exchange } from './exchange.ts';
import { GET, get, request, TestEngine } from './testing/loopback.ts';

const DATE = 'Date: Wed, 01 Apr 2026 00:00:00 GMT\r\n';

/** What the answer looks like on the wire to a client that closes its sending half. */
async function wireOf(answer: (exchange: Exchange) => void | Promise<void>, wire = GET): Promise<string> {
  await using engine = await TestEngine.start(answer);
  const client = await engine.client(wire + get('/last', 'Connection: close'));
  await client.ended;
  // The answer to the request behind it proves that the first one was framed right.
  const last = client.received.lastIndexOf('HTTP/1.1 ');
  return client.received.slice(0, last);
}

const cases: [
  name: string,
  answer: (exchange: Exchange) => void | Promise<void>,
  wire: string,
  request?: string,
][] = [
  [
    'fields as given, with Content-Length and Date added',
    (exchange) => exchange.send(200, ['x-A', '1', 'X-a', '2', 'Content-type', 'a/b'], 'hi'),
    `HTTP/1.1 200 OK\r\nx-A: 1\r\nX-a: 2\r\nContent-type: a/b\r\nContent-Length: 2\r\n${DATE}\r\nhi`,
  ],
  [
    'Content-Length and Date where they were given',
    (exchange) => exchange.send(200, ['date', 'now', 'content-length', '2'], 'hi'),
    'HTTP/1.1 200 OK\r\ndate: now\r\ncontent-length: 2\r\n\r\nhi',
  ],
  [
    'text beyond ASCII as UTF-8',
    (exchange) => exchange.send(200, [], 'ş'),
    `HTTP/1.1 200 OK\r\nContent-Length: 2\r\n${DATE}\r\n\xc5\x9f`,
  ],
  [
    'bytes from 0x80 in fields as Latin-1',
    (exchange) => exchange.send(200, ['X', 'é'], null),
    `HTTP/1.1 200 OK\r\nX: \xe9\r\nContent-Length: 0\r\n${DATE}\r\n`,
  ],
  [
    'bytes, small and large',
    (exchange) => exchange.send(200, [], Buffer.alloc(100_000, 'z')),
    `HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n${DATE}\r\n${'z'.repeat(100_000)}`,
  ],
  [
    'a reason of its own, and an unknown status',
    (exchange) => exchange.send(799, [], 'x', 'My Reason'),
    `HTTP/1.1 799 My Reason\r\nContent-Length: 1\r\n${DATE}\r\nx`,
  ],
  [
    'a HEAD without the body but with its length',
    (exchange) => exchange.send(200, [], 'hello'),
    `HTTP/1.1 200 OK\r\nContent-Length: 5\r\n${DATE}\r\n`,
    request('HEAD', '/'),
  ],
  [
    'a streamed HEAD without the body',
    async (exchange) => {
      const out = exchange.startBody(200, []);
      assert.ok(out.isDiscarding);
      await out.write('hello');
      await out.end();
    },
    `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n${DATE}\r\n`,
    request('HEAD', '/'),
  ],
  [
    'a 204 without body and framing',
    (exchange) => exchange.send(204, ['Content-Length', '5'], 'hello'),
    `HTTP/1.1 204 No Content\r\n${DATE}\r\n`,
  ],
  [
    'a 304 without body, with the length it was given',
    (exchange) => exchange.send(304, ['Content-Length', '5'], 'hello'),
    `HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n${DATE}\r\n`,
  ],
  [
    'a 304 without a length of its own',
    (exchange) => exchange.send(304, []),
    `HTTP/1.1 304 Not Modified\r\n${DATE}\r\n`,
  ],
  [
    'a 205 that is empty',
    (exchange) => exchange.send(205, [], 'hello'),
    `HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n${DATE}\r\n`,
  ],
  [
    'interim answers before the final one',
    (exchange) => {
      exchange.sendInterim(103, ['Link', '</a>']);
      exchange.sendInterim(102);
      exchange.send(200, [], 'x');
    },
    `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n${DATE}\r\nx`,
  ],
  [
    'chunks of text and bytes, without the empty ones',
    async (exchange) => {
      const out = exchange.startBody(200, []);
      for (const part of ['hello', '', 'ş', Buffer.alloc(20_000, 'y')]) await out.write(part);
      await out.end();
    },
    `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n${DATE}\r\n5\r\nhello\r\n2\r\n\xc5\x9f\r\n4e20\r\n${'y'.repeat(20_000)}\r\n0\r\n\r\n`,
  ],
  [
    'trailers',
    async (exchange) => {
      const out = exchange.startBody(200, ['Trailer', 'X-Sum']);
      await out.write('a');
      await out.end(['X-Sum', '1']);
    },
    `HTTP/1.1 200 OK\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n${DATE}\r\n1\r\na\r\n0\r\nX-Sum: 1\r\n\r\n`,
  ],
  [
    'a streamed body of a given length',
    async (exchange) => {
      const out = exchange.startBody(200, ['Content-Length', '4']);
      await out.write('ab');
      await out.write(Buffer.from('cd'));
      await out.end();
    },
    `HTTP/1.1 200 OK\r\nContent-Length: 4\r\n${DATE}\r\nabcd`,
  ],
  [
    'a whole body in one chunk when the fields ask for chunks',
    (exchange) => exchange.send(200, ['transfer-encoding', 'chunked'], 'abc'),
    `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n${DATE}\r\n3\r\nabc\r\n0\r\n\r\n`,
  ],
];

describe('answering', () => {
  for (const [name, answer, expected, wire] of cases) {
    it(`writes ${name}`, async () => {
      const respond = (exchange: Exchange) =>
        exchange.head.target === '/last' ? exchange.send(200, []) : answer(exchange);
      assert.equal(await wireOf(respond, wire), expected);
    });
  }

  it('lasts until the close for HTTP/1.0 when the length is unknown, without chunks, trailers and interim answers', async () => {
    await using engine = await TestEngine.start(async (exchange) => {
      exchange.sendInterim(103);
      const out = exchange.startBody(200, ['Transfer-Encoding', 'chunked']);
      await out.write('abc');
      await out.end(['X-Sum', '1']);
    });
    const client = await engine.client('GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n');
    assert.equal(await client.ended, 'fin');
    assert.equal(client.received, `HTTP/1.1 200 OK\r\nConnection: close\r\n${DATE}\r\nabc`);
  });

  it('sends the head of a streamed answer before its first bytes exist', async () => {
    await using engine = await TestEngine.start((exchange) => void exchange.startBody(200, []));
    const client = await engine.client(GET);
    await client.until('\r\n\r\n');
  });

  it('cannot be split by the fields a handler gives', async () => {
    const errors: unknown[] = [];
    await using engine = await TestEngine.start((exchange) => {
      const pairs = [
        ['X', 'a\r\nSet-Cookie: b'],
        ['X', 'a\nb'],
        ['X', 'a\0'],
        ['X\r\nY', 'a'],
        ['X:', 'a'],
        ['', 'a'],
        // Latin-1 would cut these down to CR and LF.
        ['X', 'a\u010d\u010ab'],
        ['Content-Length', '+1'],
        ['Transfer-Encoding', 'gzip'],
      ];
      for (const pair of pairs) {
        assert.throws(() => exchange.send(200, pair, 'x'), { name: 'InvalidHeader' });
        assert.throws(() => exchange.startBody(200, pair), { name: 'InvalidHeader' });
        errors.push(pair);
      }
      assert.throws(() => exchange.send(200, [], 'x', 'a\r\nb'), { name: 'InvalidHeader' });
      assert.throws(() => exchange.sendInterim(103, ['X', 'a\nb']), { name: 'InvalidHeader' });
      assert.throws(() => exchange.send(200, ['Content-Length', '2'], 'x'), /has 1 bytes/);
      assert.throws(() => exchange.send(99, []), RangeError);
      exchange.send(200, [], `${errors.length} refused`);
      assert.throws(() => exchange.send(200, []), /already answered/);
    });
    const client = await engine.client(GET);
    await client.until('9 refused');
  });

  it('breaks off a body that does not keep its declared length', async () => {
    const errors: Error[] = [];
    await using engine = await TestEngine.start(async (exchange) => {
      const out = exchange.startBody(200, ['Content-Length', '4']);
      await out.write('abc');
      assert.throws(() => out.write('de'), /longer than its Content-Length/);
      await out.end().catch((error: Error) => errors.push(error));
    });
    const client = await engine.client(GET);
    assert.equal(await client.ended, 'fin');
    assert.match(client.received, /abc$/);
    assert.match(errors[0]!.message, /had 3 bytes/);
  });

  it('breaks off so that the client can tell', async () => {
    await using engine = await TestEngine.start(async (exchange) => {
      const out = exchange.startBody(200, []);
      await out.write('abc');
      await sleep(20);
      out.abort();
    });
    const chunked = await engine.client(GET);
    assert.equal(await chunked.ended, 'fin');
    assert.match(chunked.received, /3\r\nabc\r\n$/);
    const untilClose = await engine.client('GET / HTTP/1.0\r\n\r\n');
    assert.equal(await untilClose.ended, 'reset');
  });

  it('holds the writer back while the client does not read', async () => {
    let writtenBytes = 0;
    let hasWaited = false;
    await using engine = await TestEngine.start(async (exchange) => {
      const out = exchange.startBody(200, []);
      const part = Buffer.alloc(64 * 1024, 'x');
      for (let index = 0; index < 800; index++) {
        const room = out.write(part);
        hasWaited ||= room !== undefined;
        await room;
        writtenBytes += part.length;
      }
      await out.end();
    });
    const client = await engine.client(GET);
    client.maxKeptBytes = 10;
    client.socket.pause();
    await sleep(300);
    assert.ok(hasWaited);
    const writtenAhead = writtenBytes;
    assert.ok(writtenAhead < 20_000_000, `${writtenAhead} bytes were written ahead`);
    client.socket.resume();
    await client.until('\r\n0\r\n\r\n');
    assert.equal(writtenBytes, 800 * 64 * 1024);
  });

  it('starts no further request while the client does not take its answers', async () => {
    let requestCount = 0;
    await using engine = await TestEngine.start((exchange) => {
      requestCount++;
      exchange.send(200, [], Buffer.alloc(1_000_000, 'x'));
    });
    const client = await engine.client();
    client.maxKeptBytes = 0;
    client.socket.pause();
    client.write(GET.repeat(200));
    await sleep(200);
    assert.ok(requestCount < 30, `${requestCount} answers were made for nobody`);
    client.socket.resume();
    while (client.receivedBytes < 200 * 1_000_000) await sleep(10);
  });

  it('tells a writer that the client left', async () => {
    const outcome = Promise.withResolvers<{ error: unknown; isAborted: boolean }>();
    await using engine = await TestEngine.start(async (exchange) => {
      const out = exchange.startBody(200, []);
      try {
        for (;;) {
          await out.write('tick\n');
          await sleep(5);
        }
      } catch (error) {
        outcome.resolve({ error, isAborted: exchange.signal.aborted });
      }
    });
    const client = await engine.client(GET);
    await client.until('tick');
    client.socket.destroy();
    const { error, isAborted } = await outcome.promise;
    assert.ok(error instanceof ClientGone);
    assert.ok(isAborted);
  });
});
