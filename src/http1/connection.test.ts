import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveHttp1 } from './connection.ts';
import type { Exchange } from './exchange.ts';
import { defaultLimits, defaultTimeouts } from './limits.ts';
import { GET, get, request, TestEngine } from './testing/loopback.ts';

const answer = (exchange: Exchange) => exchange.send(200, [], 'x');

describe('clients that take their time', () => {
  it('closes a connection without a request after the idle time', async () => {
    await using engine = await TestEngine.start(answer, { timeouts: { idleMs: 50 } });
    const silent = await engine.client();
    assert.equal(await silent.ended, 'fin');
    assert.equal(silent.received, '');

    // From before the request, so that a busy machine can only lengthen it.
    const startedAtMs = performance.now();
    const kept = await engine.client(GET);
    await kept.until('200');
    assert.equal(await kept.ended, 'fin');
    assert.ok(performance.now() - startedAtMs > 45);
  });

  it('refuses a head that does not become whole, however many bytes trickle in', async () => {
    await using engine = await TestEngine.start(answer, { timeouts: { headMs: 80 } });
    const client = await engine.client('GET / HTTP/1.1\r\n');
    const trickle = setInterval(() => client.write('X: y\r\n'), 10);
    await client.ended;
    clearInterval(trickle);
    assert.match(client.received, /^HTTP\/1\.1 408 Request Timeout\r\n[\s\S]*head-timeout$/);
  });

  it('runs no timeout while a handler works', async () => {
    await using engine = await TestEngine.start(
      async (exchange) => {
        await sleep(120);
        answer(exchange);
      },
      { timeouts: { idleMs: 30, headMs: 30, bodyMs: 30, answerStallMs: 30 } },
    );
    const client = await engine.client(GET);
    await client.until('200');
  });

  it('gives up a client that does not take its answer, not one that takes it slowly', async () => {
    const gone: boolean[] = [];
    await using engine = await TestEngine.start(
      async (exchange) => {
        const out = exchange.startBody(200, []);
        try {
          for (let index = 0; index < 400; index++) await out.write(Buffer.alloc(64 * 1024));
          await out.end();
          gone.push(false);
        } catch {
          gone.push(true);
        }
      },
      { timeouts: { answerStallMs: 400 } },
    );
    const stalled = await engine.client(GET);
    stalled.maxKeptBytes = 0;
    stalled.socket.pause();
    while (gone.length < 1) await sleep(10);
    assert.deepEqual(gone, [true]);

    const slow = await engine.client(GET);
    slow.maxKeptBytes = 0;
    slow.socket.on('data', () => {
      slow.socket.pause();
      setTimeout(() => slow.socket.resume(), 1);
    });
    while (gone.length < 2) await sleep(10);
    assert.deepEqual(gone, [true, false]);
  });

  it('does not wait long for a client that keeps its half open after our close', async () => {
    await using engine = await TestEngine.start(answer, { timeouts: { lingerMs: 50 } });
    const client = await engine.client(get('/', 'Connection: close'));
    assert.equal(await client.ended, 'fin');
    await engine.connections[0]!.closed;
  });

  it('has no deadline where the time is zero', async () => {
    await using engine = await TestEngine.start(answer, { timeouts: { idleMs: 0, headMs: 0 } });
    const client = await engine.client('GET / HTTP/1.1\r\n');
    await sleep(50);
    client.write('Host: a\r\n\r\n');
    await client.until('200');
  });
});

describe('clients that leave', () => {
  it('aborts the signal, whether it was asked for before or after', async () => {
    for (const isAskedBefore of [true, false]) {
      const exchanges: Exchange[] = [];
      await using engine = await TestEngine.start((exchange) => void exchanges.push(exchange));
      const client = await engine.client(GET);
      while (exchanges.length === 0) await sleep(5);
      if (isAskedBefore) assert.equal(exchanges[0]!.signal.aborted, false);
      client.socket.resetAndDestroy();
      await engine.connections[0]!.closed;
      assert.equal(exchanges[0]!.signal.aborted, true);
      assert.equal(exchanges[0]!.signal.reason.name, 'ClientGone');
      exchanges[0]!.send(200, [], 'for nobody');
    }
  });

  it('leaves the signal alone once the answer is complete', async () => {
    const exchanges: Exchange[] = [];
    await using engine = await TestEngine.start((exchange) => {
      exchanges.push(exchange);
      answer(exchange);
    });
    const client = await engine.client(GET);
    await client.until('200');
    client.socket.destroy();
    await engine.connections[0]!.closed;
    assert.equal(exchanges[0]!.signal.aborted, false);
  });
});

describe('handing the connection over', () => {
  it('switches protocols, with the bytes that were already read first', async () => {
    await using engine = await TestEngine.start((exchange) => {
      const stream = exchange.upgrade(['Connection', 'Upgrade', 'Upgrade', 'echo'])!;
      stream.pipe(stream);
    });
    const client = await engine.client(`${get('/', 'Connection: Upgrade', 'Upgrade: echo')}early `);
    await client.until('early ');
    client.write('late');
    await client.until('early late');
    client.socket.end();
    assert.equal(await client.ended, 'fin');
    assert.equal(
      client.received,
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nearly late',
    );
    await engine.connections[0]!.closed;
  });

  it('keeps what an upgraded client sent before it closed for a slow reader', async () => {
    const read = Promise.withResolvers<string>();
    const left = Promise.withResolvers<void>();
    await using engine = await TestEngine.start(async (exchange) => {
      const stream = exchange.upgrade([])!;
      stream.end('bye');
      await left.promise;
      let text = '';
      for await (const part of stream) text += part;
      read.resolve(text);
    });
    const client = await engine.client(`${GET}early `);
    await client.until('bye');
    client.socket.end('late');
    await sleep(50);
    left.resolve();
    assert.equal(await read.promise, 'early late');
    await engine.connections[0]!.closed;
  });

  it('opens a tunnel for CONNECT with a 200', async () => {
    await using engine = await TestEngine.start((exchange) => void exchange.upgrade([])!.end('bye'));
    const client = await engine.client(request('CONNECT', 'a:1'));
    await client.until('bye');
    assert.equal(client.received, 'HTTP/1.1 200 OK\r\n\r\nbye');
  });

  it('holds an upgraded writer back while the client does not read', async () => {
    let stream: Duplex | undefined;
    await using engine = await TestEngine.start((exchange) => {
      stream = exchange.upgrade([])!;
      stream.on('error', () => {});
      stream.write(Buffer.alloc(50_000_000));
    });
    const client = await engine.client(GET);
    client.maxKeptBytes = 0;
    client.socket.pause();
    while (stream === undefined) await sleep(5);
    await sleep(100);
    assert.equal(stream.writableNeedDrain, true);
    client.socket.resume();
    await once(stream, 'drain');
  });

  it('gives the bare socket for answers no server may give, ended by FIN', async () => {
    await using engine = await TestEngine.start(async (exchange) => {
      const socket = exchange.takeSocket()!;
      assert.ok(exchange.isAnswered);
      await socket.write('HTP/9 hello\n');
      await socket.write(Buffer.from([0, 255]));
      socket.close();
    });
    const client = await engine.client(GET);
    assert.equal(await client.ended, 'fin');
    assert.equal(client.received, 'HTP/9 hello\n\0\xff');
    client.socket.end();
    await engine.connections[0]!.closed;
  });

  it('gives the bare socket to be reset', async () => {
    await using engine = await TestEngine.start(async (exchange) => {
      const socket = exchange.takeSocket()!;
      await socket.write('HTTP/1.1 200 OK\r\n');
      await sleep(20);
      socket.reset();
    });
    const client = await engine.client(GET);
    assert.equal(await client.ended, 'reset');
    assert.equal(client.received, 'HTTP/1.1 200 OK\r\n');
  });
});

describe('any duplex stream of bytes', () => {
  it('can be served, beginning with bytes that were read before', async () => {
    let written = '';
    const stream = new Duplex({
      read() {},
      write(chunk: Buffer, _encoding, callback) {
        written += chunk.toString('latin1');
        callback();
      },
    });
    const connection = serveHttp1(stream as never, Buffer.from('GET / HT'), {} as never, {
      limits: defaultLimits,
      timeouts: defaultTimeouts,
      isLenient: false,
      now: Date.now,
      onExchange: answer,
      renderRefusal: () => ({ headers: [], body: '' }),
    });
    stream.push('TP/1.1\r\nHost: a\r\n\r\n');
    stream.push(null);
    await connection.closed;
    assert.match(written, /^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\nx$/);
  });
});
