import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClientGone, type Exchange } from './exchange.ts';
import { Refusal } from './refusals.ts';
import { get, request, TestEngine } from './testing/loopback.ts';

const chunked = 'Transfer-Encoding: chunked';

async function echoBody(exchange: Exchange): Promise<void> {
  try {
    exchange.send(200, [], await exchange.body.bytes(10_000_000));
  } catch (error) {
    if (error instanceof Refusal) exchange.send(error.status, [], error.key);
    else throw error;
  }
}

describe('reading a request body', () => {
  it('reads by length and in chunks, then the next request', async () => {
    await using engine = await TestEngine.start(echoBody);
    const client = await engine.client(
      request('POST', '/', ['Content-Length: 5'], 'hello') +
        request('POST', '/', [chunked], '3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n') +
        request('POST', '/', ['Content-Length: 0']) +
        request('GET', '/', ['Connection: close']),
    );
    await client.ended;
    assert.deepEqual(
      [...client.received.matchAll(/Content-Length: (\d+)/g)].map((found) => found[1]),
      ['5', '5', '0', '0'],
    );
    assert.match(client.received, /\r\n\r\nhello[\s\S]*\r\n\r\nabcde/);
  });

  it('reads a request that comes byte by byte', async () => {
    await using engine = await TestEngine.start(echoBody);
    const client = await engine.client();
    for (const byte of request('POST', '/', [chunked], '3\r\nabc\r\n0\r\nX: y\r\n\r\n')) {
      client.write(byte);
      await new Promise(setImmediate);
    }
    await client.until('\r\n\r\nabc');
  });

  it('tells of framing, lengths, chunk sizes and trailers', async () => {
    const seen: unknown[] = [];
    await using engine = await TestEngine.start(async ({ body, ...exchange }) => {
      void exchange;
      await body.bytes(100);
      const { isPresent, framing, declaredLength, receivedLength, chunkSizes, trailers } = body;
      seen.push([isPresent, framing, declaredLength, receivedLength, [...chunkSizes], [...trailers]]);
    });
    for (const wire of [
      get('/'),
      request('POST', '/', ['Content-Length: 2'], 'ab'),
      request('POST', '/', [chunked], '1\r\na\r\n2\r\nbc\r\n0\r\nX-a: 1\r\n\r\n'),
    ]) {
      await engine.client(wire);
    }
    while (seen.length < 3) await sleep(5);
    assert.deepEqual(seen, [
      [false, 'none', undefined, 0, [], []],
      [true, 'length', 2, 2, [], []],
      [true, 'chunked', undefined, 3, [1, 2], ['X-a', '1']],
    ]);
  });

  it('has the content ready that came with the head', async () => {
    let received = -1;
    await using engine = await TestEngine.start((exchange) => {
      received = exchange.body.receivedLength;
      exchange.send(200, [], 'x');
    });
    const client = await engine.client(request('POST', '/', ['Content-Length: 5'], 'hello'));
    await client.until('200');
    assert.equal(received, 5);
  });

  it('streams, and stops reading the socket while the handler does not read', async () => {
    let receivedWhileWaiting = 0;
    let total = 0;
    await using engine = await TestEngine.start(async (exchange) => {
      await sleep(300);
      receivedWhileWaiting = exchange.body.receivedLength;
      for await (const part of exchange.body) total += part.length;
      exchange.send(200, [], 'done');
    });
    const content = Buffer.alloc(50_000_000, 'x');
    const client = await engine.client(request('POST', '/', [`Content-Length: ${content.length}`]));
    client.write(content);
    await client.until('done');
    assert.equal(total, content.length);
    assert.ok(receivedWhileWaiting < 1_000_000, `${receivedWhileWaiting} bytes were taken ahead`);
  });

  it('refuses more than the reader takes, declared or not', async () => {
    await using engine = await TestEngine.start(async (exchange) => {
      await assert.rejects(exchange.body.bytes(4), { key: 'body-too-large' });
      exchange.send(413, []);
    });
    const declared = await engine.client(request('POST', '/', ['Content-Length: 5'], 'hello'));
    await declared.until('413');
    const counted = await engine.client(request('POST', '/', [chunked], '5\r\nhello\r\n'));
    await counted.until('413');
  });

  it('refuses more than the reader forgets, declared or not', async () => {
    await using engine = await TestEngine.start(async (exchange) => {
      await assert.rejects(exchange.body.discard(4), { key: 'body-too-large' });
      exchange.send(413, []);
    });
    const declared = await engine.client(request('POST', '/', ['Content-Length: 5'], 'hello'));
    await declared.until('413');
    const counted = await engine.client(request('POST', '/', [chunked], '4\r\nhell\r\n'));
    counted.write('1\r\no\r\n');
    await counted.until('413');
  });

  it('keeps the connection after a small unread body and closes after a large one', async () => {
    await using engine = await TestEngine.start((exchange) => exchange.send(200, [], exchange.head.target), {
      limits: { maxDrainBytes: 1000 },
    });
    const small = await engine.client(request('POST', '/a', ['Content-Length: 900'], 'x'));
    await small.until('/a');
    small.write('x'.repeat(899) + get('/b'));
    await small.until('/b');

    const large = await engine.client(request('POST', '/c', ['Content-Length: 2000'], 'x'));
    assert.equal(await large.ended, 'fin');
    assert.match(large.received, /Connection: close/);

    const endless = await engine.client(request('POST', '/d', [chunked], '7D0\r\n'));
    await endless.until('/d');
    endless.write('x'.repeat(1500));
    assert.equal(await endless.ended, 'fin');
  });

  it('rejects the reading of broken chunks, and closes after the answer', async () => {
    await using engine = await TestEngine.start(echoBody);
    const client = await engine.client(
      request('POST', '/', [chunked], `5\r\nhello!\r\n0\r\n\r\n${get('/x')}`),
    );
    assert.equal(await client.ended, 'fin');
    assert.match(client.received, /^HTTP\/1\.1 400 [\s\S]*Connection: close[\s\S]*chunk-end-invalid$/);
  });

  it('sends 100 when the body is first read, and only then', async () => {
    const begun = Promise.withResolvers<void>();
    const read = Promise.withResolvers<void>();
    await using engine = await TestEngine.start(async (exchange) => {
      begun.resolve();
      await read.promise;
      await echoBody(exchange);
    });
    const client = await engine.client(request('POST', '/', ['Expect: 100-Continue', 'Content-Length: 2']));
    await begun.promise;
    await sleep(50);
    assert.equal(client.received, '');
    read.resolve();
    await client.until('HTTP/1.1 100 Continue\r\n\r\n');
    client.write('ab');
    await client.until('\r\n\r\nab');
    assert.doesNotMatch(client.received, /Connection/);
  });

  it('sends no 100 when the body is already coming, nor to HTTP/1.0', async () => {
    await using engine = await TestEngine.start(echoBody);
    const early = await engine.client(
      request('POST', '/', ['Expect: 100-continue', 'Content-Length: 2'], 'a'),
    );
    await sleep(20);
    early.write('b');
    assert.match(await early.until('ab'), /^HTTP\/1\.1 200/);
    const old = await engine.client('POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n');
    await sleep(20);
    old.write('ab');
    assert.match(await old.until('ab'), /^HTTP\/1\.1 200/);
  });

  it('closes after a final answer instead of the 100', async () => {
    await using engine = await TestEngine.start((exchange) => exchange.send(403, []));
    const client = await engine.client(request('POST', '/', ['Expect: 100-continue', 'Content-Length: 2']));
    assert.equal(await client.ended, 'fin');
    assert.match(client.received, /^HTTP\/1\.1 403 [\s\S]*Connection: close\r\n/);
  });

  it('refuses every other expectation', async () => {
    await using engine = await TestEngine.start(echoBody);
    const client = await engine.client(request('POST', '/', ['Expect: 200-ok', 'Content-Length: 2']));
    assert.match(await client.until('expectation-failed'), /^HTTP\/1\.1 417 Expectation Failed\r\n/);
  });

  it('rejects with ClientGone and aborts when the client leaves within the body', async () => {
    for (const leave of ['end', 'resetAndDestroy', 'destroy'] as const) {
      const begun = Promise.withResolvers<void>();
      const outcome = Promise.withResolvers<{ error: unknown; isAborted: boolean }>();
      await using engine = await TestEngine.start(async (exchange) => {
        const { signal } = exchange;
        begun.resolve();
        await exchange.body.bytes(100).catch(async (error: unknown) => {
          await sleep(20);
          outcome.resolve({ error, isAborted: signal.aborted });
        });
      });
      const client = await engine.client(request('POST', '/', ['Content-Length: 5'], 'he'));
      await begun.promise;
      client.socket[leave]();
      const { error, isAborted } = await outcome.promise;
      assert.ok(error instanceof ClientGone);
      assert.ok(isAborted);
    }
  });

  it('tells a handler whose body was cut off while the answer before it was running', async () => {
    const outcome = Promise.withResolvers<unknown>();
    await using engine = await TestEngine.start(async (exchange) => {
      if (exchange.requestNo === 2) outcome.resolve(await exchange.body.bytes(100).catch((error) => error));
      await sleep(20);
      if (exchange.requestNo === 1) exchange.send(200, [], 'first');
    });
    const received = engine.exchangeBytes(get('/') + request('POST', '/', ['Content-Length: 5'], 'he'));
    assert.ok((await outcome.promise) instanceof ClientGone);
    assert.match(await received, /first$/);
  });

  it('gives up a body that stops coming', async () => {
    const timeouts = { bodyMs: 1_000, minBodyBytesPerSecond: 0 };
    await using engine = await TestEngine.start(echoBody, { timeouts });
    const client = await engine.client(request('POST', '/', ['Content-Length: 3'], 'a'));
    await sleep(550);
    client.write('b');
    await sleep(550);
    assert.equal(client.received, '', 'progress moves the deadline');
    await client.ended;
    assert.match(client.received, /^HTTP\/1\.1 408 [\s\S]*body-timeout$/);
  });

  it('gives up a body that only drips', async () => {
    const timeouts = { bodyMs: 200, minBodyBytesPerSecond: 1_000 };
    await using engine = await TestEngine.start(echoBody, { timeouts });
    const client = await engine.client(request('POST', '/', ['Content-Length: 100000']));
    const dripping = setInterval(() => client.write('x'), 20);
    await client.ended.finally(() => clearInterval(dripping));
    assert.match(client.received, /^HTTP\/1\.1 408 [\s\S]*body-timeout$/);
  });

  it('bears a slow body that keeps its pace, and one that waits for its reader', async () => {
    const timeouts = { bodyMs: 1_000, minBodyBytesPerSecond: 10 };
    await using engine = await TestEngine.start(
      async (exchange) => {
        if (exchange.head.target === '/later') await sleep(1_500);
        await echoBody(exchange);
      },
      { timeouts, limits: { maxUnreadBodyBytes: 10 } },
    );
    const slow = await engine.client(request('POST', '/', ['Content-Length: 150', 'Connection: close']));
    const late = await engine.client(
      request('POST', '/later', ['Content-Length: 20', 'Connection: close'], 'x'.repeat(19)),
    );
    for (let sent = 0; sent < 150; sent += 10) {
      slow.write('x'.repeat(10));
      await sleep(100);
    }
    await sleep(200);
    late.write('x');
    await Promise.all([slow.ended, late.ended]);
    assert.match(slow.received, /x{150}$/);
    assert.match(late.received, /x{20}$/);
  });

  it('is read once', async () => {
    const outcome = Promise.withResolvers<void>();
    await using engine = await TestEngine.start(async ({ body }) => {
      await body.bytes(10);
      outcome.resolve(assert.rejects(body.bytes(10), /already read/));
    });
    await engine.client(request('POST', '/', ['Content-Length: 1'], 'a'));
    await outcome.promise;
  });
});
