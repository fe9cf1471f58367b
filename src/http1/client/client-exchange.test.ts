import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ClientPool } from './client-pool.ts';
import { failureOf, sleep, until } from './testing/failing.ts';
import { ok, RawTarget } from './testing/raw-target.ts';

const newPool = () => new ClientPool({ maxPerHost: 1, maxTotal: 1 });
const LARGE_BYTES = 64 * 1024 * 1024;

async function* pieces(count: number, bytes: number) {
  for (let index = 0; index < count; index++) yield Buffer.alloc(bytes, 97 + (index % 26));
}

async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts).toString('latin1');
}

describe('the body of a request', () => {
  const cases: readonly [name: string, parts: Buffer[]][] = [
    ['one small part', [Buffer.from('hello')]],
    ['one large part', [Buffer.alloc(200_000, 'x')]],
    ['many small parts', Array.from({ length: 1_000 }, (_, index) => Buffer.from(`${index}\n`))],
    ['many middling parts', Array.from({ length: 30 }, (_, index) => Buffer.alloc(2_000, 97 + (index % 26)))],
    ['several large parts', Array.from({ length: 3 }, (_, index) => Buffer.alloc(60_000, 97 + index))],
    ['an empty part between others', [Buffer.from('a'), Buffer.alloc(0), Buffer.from('b')]],
    ['no part', []],
  ];
  for (const [name, parts] of cases) {
    it(`arrives as it was given: ${name}`, async () => {
      let received = '';
      await using target = await RawTarget.start({
        onRequest: ({ socket, received: all }) => {
          received = all;
          socket.write(ok());
        },
      });
      const pool = newPool();
      await pool.send(target.request({ method: 'POST', headers: ['A', 'b'], body: parts }));
      const body = Buffer.concat(parts).toString('latin1');
      const { port } = target.origin;
      assert.equal(
        received,
        `POST / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nA: b\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
      await pool.close();
    });
  }

  it('is sent in chunks when it is a stream', async () => {
    await using target = await RawTarget.start({ onRequest: ({ socket }) => void socket.write(ok()) });
    const pool = newPool();
    const body = (async function* () {
      yield Buffer.from('hello');
      yield Buffer.alloc(0);
      yield Buffer.alloc(17, 'x');
    })();
    await pool.send(target.request({ method: 'POST', body }));
    assert.ok(
      target.connections[0]!.received.endsWith(
        `Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n11\r\n${'x'.repeat(17)}\r\n0\r\n\r\n`,
      ),
    );
    assert.equal(pool.usage().idle, 1);
    await pool.close();
  });

  it('is sent as it is when it is a stream of a known length', async () => {
    await using target = await RawTarget.start({ onRequest: ({ socket }) => void socket.write(ok()) });
    const pool = newPool();
    const headers = ['Content-Length', '30'];
    await pool.send(target.request({ method: 'POST', headers, body: pieces(3, 10) }));
    const expected = 'a'.repeat(10) + 'b'.repeat(10) + 'c'.repeat(10);
    assert.ok(target.connections[0]!.received.endsWith(`Content-Length: 30\r\n\r\n${expected}`));
    assert.equal(pool.usage().idle, 1);
    await pool.close();
  });

  for (const [name, length] of [
    ['longer', '29'],
    ['shorter', '31'],
  ] as const) {
    it(`breaks the call off when it is ${name} than it said`, async () => {
      await using target = await RawTarget.start();
      const headers = ['Content-Length', length];
      const call = newPool().send(target.request({ method: 'POST', headers, body: pieces(3, 10) }));
      assert.equal((await failureOf(call)).reason, 'request-body-failed');
      await target.untilAllClosed();
      assert.equal(target.connections[0]!.requestCount, 0);
    });
  }

  it('breaks the call off when its source fails', async () => {
    await using target = await RawTarget.start();
    const broken = new Error('the source is gone');
    const body = (async function* () {
      yield Buffer.from('x');
      throw broken;
    })();
    const failure = await failureOf(newPool().send(target.request({ method: 'POST', body })));
    assert.equal(failure.reason, 'request-body-failed');
    assert.equal(failure.phase, 'write');
    assert.equal(failure.cause, broken);
    await target.untilAllClosed();
    assert.doesNotMatch(target.connections[0]!.received, /\r\n0\r\n\r\n$/);
  });

  it('is asked for no faster than the target takes it', async () => {
    await using target = await RawTarget.start({ isPaused: true });
    let taken = 0;
    const body = (async function* () {
      for (; taken < 1_000; taken++) yield Buffer.alloc(1024 * 1024);
    })();
    const pool = newPool();
    const call = failureOf(pool.send(target.request({ method: 'POST', body })));
    await until(() => taken > 0);
    await sleep(100);
    assert.ok(taken < 50, `${taken} MiB were taken`);
    await pool.destroy();
    await call;
  });
});

describe('an answer that comes early', () => {
  const early = 'HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\n\r\nno';

  it('is delivered while the body is still being written, and the connection is closed', async () => {
    await using target = await RawTarget.start({
      isPaused: true,
      onConnection: ({ socket }) => void socket.write(early),
    });
    const pool = newPool();
    const request = target.request({ method: 'POST', body: Buffer.alloc(LARGE_BYTES) });
    const answer = await pool.send(request);
    assert.equal(answer.status, 413);
    assert.equal(answer.body.toString(), 'no');
    assert.equal(pool.usage().total, 0);
    await target.untilAllClosed();
  });

  it('stops a stream from being read', async () => {
    await using target = await RawTarget.start({
      onConnection: ({ socket }) => void socket.once('data', () => socket.write(early)),
    });
    let isLeft = false;
    const body = (async function* () {
      try {
        for (;;) {
          yield Buffer.from('x');
          await sleep(1);
        }
      } finally {
        isLeft = true;
      }
    })();
    const pool = newPool();
    assert.equal((await pool.send(target.request({ method: 'POST', body }))).status, 413);
    await until(() => isLeft);
    await target.untilAllClosed();
  });

  it('of success lets a stream be sent to its end', async () => {
    await using target = await RawTarget.start({
      onConnection: ({ socket }) =>
        void socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')),
      onRequest: ({ socket }) => void socket.write('4\r\ndone\r\n0\r\n\r\n'),
    });
    const pool = newPool();
    const body = (async function* () {
      for (let count = 0; count < 5; count++) {
        yield Buffer.from('x');
        await sleep(5);
      }
    })();
    const answer = await pool.send(target.request({ method: 'POST', body }));
    assert.equal(answer.body.toString(), 'done');
    assert.equal(pool.usage().idle, 1);
    await pool.close();
  });

  it('is delivered although the target resets the connection behind it', async () => {
    await using target = await RawTarget.start({
      onConnection: ({ socket }) =>
        void socket.once('data', () => {
          socket.write(early);
          setTimeout(() => socket.resetAndDestroy(), 20);
        }),
    });
    const request = target.request({ method: 'POST', body: Buffer.alloc(1024 * 1024) });
    assert.equal((await newPool().send(request)).status, 413);
  });
});

describe('the body of an answer', () => {
  const long = (byteCount: number) => ok('x'.repeat(byteCount));

  it('is kept as far as the caller wants it', async () => {
    await using target = await RawTarget.start({ onRequest: ({ socket }) => void socket.write(long(1_000)) });
    const pool = newPool();
    const whole = await pool.send(target.request(), { maxBodyBytes: 1_000 });
    assert.equal(whole.body.length, 1_000);
    assert.equal(whole.isBodyCut, false);
    const cut = await pool.send(target.request(), { maxBodyBytes: 999 });
    assert.equal(cut.body.length, 999);
    assert.equal(cut.isBodyCut, true);
    const nothing = await pool.send(target.request(), { maxBodyBytes: 0 });
    assert.equal(nothing.body.length, 0);
    assert.equal(nothing.isBodyCut, true);
    assert.equal(nothing.isReusedConnection, true, 'a short rest is read and forgotten');
    await pool.close();
  });

  for (const [name, head] of [
    ['of a known length', 'Content-Length: 1000000000000'],
    ['without a length', 'Transfer-Encoding: chunked'],
    ['until the close', 'Connection: close'],
  ] as const) {
    it(`that is huge is not read to its end: ${name}`, async () => {
      await using target = await RawTarget.start({
        onRequest: ({ socket }) => {
          socket.write(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n`);
          const flood = () => {
            while (!socket.destroyed && socket.write(`1000\r\n${'x'.repeat(4_096)}\r\n`));
          };
          socket.on('drain', flood);
          flood();
        },
      });
      const pool = newPool();
      const answer = await pool.send(target.request(), { maxBodyBytes: 10_000 });
      assert.equal(answer.status, 200);
      assert.equal(answer.body.length, 10_000);
      assert.equal(answer.isBodyCut, true);
      assert.equal(pool.usage().total, 0);
      await target.untilAllClosed();
    });
  }

  it('that breaks off is a failure that knows the status', async () => {
    await using target = await RawTarget.start({
      onRequest: ({ socket }) => {
        socket.write('HTTP/1.1 503 \r\nContent-Length: 5\r\n\r\nhe');
        setTimeout(() => socket.resetAndDestroy(), 20);
      },
    });
    const failure = await failureOf(newPool().send(target.request()));
    assert.equal(failure.reason, 'connection-reset');
    assert.equal(failure.phase, 'body');
    assert.equal(failure.status, 503);
  });
});

describe('a streamed answer', () => {
  it('begins with its head', async () => {
    await using target = await RawTarget.start({
      onRequest: async ({ socket }) => {
        socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n');
      },
    });
    const pool = newPool();
    const answer = await pool.open(target.request());
    assert.equal(answer.status, 200);
    assert.deepEqual(Object.keys(answer.phases), ['acquire', 'connect', 'write', 'response']);
    target.connections[0]!.socket.write('1\r\n!\r\n0\r\nX-Sum: 1\r\n\r\n');
    assert.equal(await textOf(answer.body), 'hello!');
    assert.deepEqual(answer.body.trailers, ['X-Sum', '1']);
    assert.equal(pool.usage().idle, 1);
    await pool.close();
  });

  it('without content is over at once', async () => {
    await using target = await RawTarget.start({
      onRequest: ({ socket }) => void socket.write('HTTP/1.1 204 \r\n\r\n'),
    });
    const pool = newPool();
    const answer = await pool.open(target.request());
    assert.equal(await textOf(answer.body), '');
    assert.equal(pool.usage().idle, 1);
    await pool.close();
  });

  it('is read no faster than its reader takes it, however long that lasts', async () => {
    await using target = await RawTarget.start({
      onRequest: ({ socket }) => {
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${LARGE_BYTES}\r\n\r\n`);
        socket.write(Buffer.alloc(LARGE_BYTES));
      },
    });
    const pool = new ClientPool({ maxPerHost: 1, maxTotal: 1, timeouts: { idleMs: 50 } });
    const answer = await pool.open(target.request());
    await sleep(150);
    assert.ok(target.connections[0]!.socket.writableLength > 0, 'the target still has to wait');
    let byteCount = 0;
    for await (const part of answer.body) byteCount += part.length;
    assert.equal(byteCount, LARGE_BYTES);
    assert.equal(pool.usage().idle, 1);
    await pool.close();
  });

  it('that is cancelled closes the connection', async () => {
    await using target = await RawTarget.start({
      onRequest: ({ socket }) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'),
    });
    const pool = newPool();
    (await pool.open(target.request())).body.cancel();
    assert.equal(pool.usage().total, 0);
    await target.untilAllClosed();
  });

  it('whose reader leaves closes the connection', async () => {
    await using target = await RawTarget.start({
      onRequest: ({ socket }) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'),
    });
    const pool = newPool();
    for await (const part of (await pool.open(target.request())).body) {
      assert.equal(part.toString(), 'half');
      break;
    }
    assert.equal(pool.usage().total, 0);
    await target.untilAllClosed();
  });

  it('that stops fails its reader after what came before', async () => {
    await using target = await RawTarget.start({
      onRequest: ({ socket }) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'),
    });
    const pool = new ClientPool({ maxPerHost: 1, maxTotal: 1, timeouts: { idleMs: 50 } });
    const { body } = await pool.open(target.request());
    let read = '';
    const failure = await failureOf(
      (async () => {
        for await (const part of body) read += part.toString();
      })(),
    );
    assert.equal(read, 'half');
    assert.equal(failure.reason, 'idle-timeout');
    assert.equal(failure.phase, 'body');
    assert.equal(pool.usage().total, 0);
  });

  it('can be read once', async () => {
    await using target = await RawTarget.start({ onRequest: ({ socket }) => void socket.write(ok('x')) });
    const pool = newPool();
    const { body } = await pool.open(target.request());
    await textOf(body);
    await assert.rejects(textOf(body), /already read/);
    await pool.close();
  });
});
