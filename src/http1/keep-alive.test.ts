import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange } from './exchange.ts';
import { answersIn, GET, get, request, TestEngine } from './testing/loopback.ts';

const echoTarget = (exchange: Exchange) => exchange.send(200, [], exchange.head.target);

describe('keeping a connection', () => {
  it('answers one request after the other and counts them', async () => {
    await using engine = await TestEngine.start((exchange) =>
      exchange.send(200, [], `${exchange.head.target} ${exchange.requestNo}`),
    );
    const client = await engine.client(get('/a'));
    await client.until('/a 1');
    client.write(get('/b'));
    await client.until('/b 2');
    assert.doesNotMatch(client.received, /Connection/);
  });

  it('closes when an HTTP/1.1 client says so', async () => {
    await using engine = await TestEngine.start(echoTarget);
    const client = await engine.client(get('/a', 'Connection: foo, Close'));
    assert.equal(await client.ended, 'fin');
    assert.match(client.received, /\r\nConnection: close\r\n/);
  });

  it('closes after HTTP/1.0 unless the client asks to keep', async () => {
    await using engine = await TestEngine.start(echoTarget);
    const once = await engine.client('GET /a HTTP/1.0\r\n\r\n');
    assert.equal(await once.ended, 'fin');
    assert.match(once.received, /^HTTP\/1\.1 200 OK\r\n/);

    const kept = await engine.client('GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n');
    await kept.until('/a');
    assert.match(kept.received, /\r\nConnection: keep-alive\r\n/);
    kept.write('GET /b HTTP/1.0\r\n\r\n');
    await kept.until('/b');
    assert.equal(await kept.ended, 'fin');
  });

  it('closes after an answer that says close and after closeAfterAnswer', async () => {
    await using engine = await TestEngine.start((exchange) => {
      if (exchange.head.target === '/header') exchange.send(200, ['connection', 'close'], 'x');
      exchange.closeAfterAnswer();
      if (!exchange.isAnswered) exchange.send(200, [], 'x');
    });
    for (const target of ['/header', '/call']) {
      const client = await engine.client(get(target));
      assert.equal(await client.ended, 'fin');
      assert.equal(client.received.match(/connection: close/gi)?.length, 1);
    }
  });

  it('answers requests that came at once in their order, however long each takes', async () => {
    await using engine = await TestEngine.start(async (exchange) => {
      await sleep(Number(exchange.head.target.slice(1)));
      exchange.send(200, [], exchange.head.target);
    });
    const client = await engine.client(get('/20') + get('/0') + get('/5') + get('/1', 'Connection: close'));
    await client.ended;
    assert.deepEqual(
      answersIn(client.received).map(({ body }) => body),
      ['/20', '/0', '/5', '/1'],
    );
  });

  it('sends the answers to requests from one read in one piece', async () => {
    for (const isAsync of [false, true]) {
      await using engine = await TestEngine.start(async (exchange) => {
        if (isAsync) await Promise.resolve();
        echoTarget(exchange);
      });
      const client = await engine.client();
      let pieces = 0;
      client.socket.on('data', () => pieces++);
      client.write(Array.from({ length: 50 }, (_, index) => get(`/${index}`)).join(''));
      await client.until('/49');
      assert.equal(answersIn(client.received).length, 50);
      assert.equal(pieces, 1);
    }
  });

  it('sends a quick answer although a slow one follows it', async () => {
    await using engine = await TestEngine.start((exchange) => {
      if (exchange.head.target === '/quick') echoTarget(exchange);
    });
    const client = await engine.client(get('/quick') + get('/never'));
    await client.until('/quick');
  });

  it('reads no further ahead than its bound while an answer is running', async () => {
    let release = () => {};
    let requestCount = 0;
    await using engine = await TestEngine.start(
      async (exchange) => {
        if (++requestCount === 1) await new Promise<void>((resolve) => (release = resolve));
        exchange.send(200, [], 'x');
      },
      { limits: { maxPipelinedBytes: 10_000 } },
    );
    const client = await engine.client();
    // More than the bound and all buffers of the system between the two sides.
    const total = 400_000;
    client.write(GET.repeat(total));
    await sleep(200);
    assert.ok(client.socket.writableLength > 0, 'the client is held back');
    release();
    while (requestCount < total) await sleep(20);
  });

  it('counts a client as gone that closed its half and has no answer begun within the grace time', async () => {
    const gone = Promise.withResolvers<void>();
    await using engine = await TestEngine.start(
      ({ signal }) => signal.addEventListener('abort', () => gone.resolve()),
      { timeouts: { halfCloseMs: 30 } },
    );
    const client = await engine.client('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    client.socket.end();
    await gone.promise;
    await client.ended;
    assert.equal(client.received, '');
  });

  it('goes on with an answer that began before the grace time was over', async () => {
    await using engine = await TestEngine.start(
      async (exchange) => {
        const out = exchange.startBody(200, []);
        await out.write('one ');
        await new Promise((resolve) => setTimeout(resolve, 90));
        await out.write('two');
        await out.end();
      },
      { timeouts: { halfCloseMs: 30 } },
    );
    assert.match(await engine.exchangeBytes('GET / HTTP/1.1\r\nHost: x\r\n\r\n'), /one [\s\S]*two/);
  });

  it('answers a client that closed its sending half', async () => {
    await using engine = await TestEngine.start(async (exchange) => {
      await sleep(30);
      echoTarget(exchange);
    });
    const received = await engine.exchangeBytes(get('/a') + get('/b'));
    assert.deepEqual(
      answersIn(received).map(({ body }) => body),
      ['/a', '/b'],
    );
  });

  it('refuses a head that ends with the connection', async () => {
    await using engine = await TestEngine.start(echoTarget);
    const received = await engine.exchangeBytes('GET / HTTP/1.1\r\nHost');
    assert.match(received, /^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*\r\n\r\nrequest-incomplete$/);
  });

  it('answers what stands before a malformed request, then refuses that and closes', async () => {
    await using engine = await TestEngine.start(async (exchange) => {
      await sleep(10);
      echoTarget(exchange);
    });
    const client = await engine.client(`${get('/good')}GET / HTTP/1.1\r\n\r\n${get('/after')}`);
    assert.equal(await client.ended, 'fin');
    const [good, refusal, ...others] = answersIn(client.received);
    assert.equal(good?.body, '/good');
    assert.equal(refusal?.body, 'host-missing');
    assert.match(refusal!.head, /\r\nConnection: close\r\n/);
    assert.deepEqual(others, []);
    assert.deepEqual(
      engine.refusals.map(({ key }) => key),
      ['host-missing'],
    );
  });

  it('sends no body with the refusal of a HEAD', async () => {
    await using engine = await TestEngine.start(echoTarget);
    const client = await engine.client('HEAD / HTTP/1.1\r\n\r\n');
    await client.ended;
    assert.match(client.received, /Content-Length: 12\r\n[\s\S]*\r\n\r\n$/);
  });

  it('gives the whole refusal to a client that goes on sending', async () => {
    await using engine = await TestEngine.start(echoTarget);
    const client = await engine.client(`\0BAD${'x'.repeat(1_000_000)}`);
    await client.until('method-invalid');
    client.write('more');
    assert.equal(await client.ended, 'fin');
  });

  it('closes at once when idle, after the running answer otherwise', async () => {
    let release = () => {};
    await using engine = await TestEngine.start(async (exchange) => {
      await new Promise<void>((resolve) => (release = resolve));
      echoTarget(exchange);
    });
    const idle = await engine.client();
    const busy = await engine.client(get('/busy'));
    while (engine.connections[1]?.isIdle !== false) await sleep(5);
    const [idleConnection, busyConnection] = engine.connections;
    assert.ok(idleConnection?.isIdle);
    assert.equal(busyConnection?.isIdle, false);
    for (const connection of engine.connections) connection.closeGracefully();
    assert.equal(await idle.ended, 'fin');
    release();
    assert.equal(await busy.ended, 'fin');
    assert.match(busy.received, /Connection: close\r\n[\s\S]*\/busy$/);
    idle.socket.end();
    busy.socket.end();
    await Promise.all(engine.connections.map(({ closed }) => closed));
  });

  it('answers a request whose head was half there when the connection was asked to close', async () => {
    await using engine = await TestEngine.start(echoTarget);
    const client = await engine.client('GET /late HTTP/1.1\r\n');
    while (engine.connections[0]?.isIdle !== false) await sleep(5);
    engine.connections[0].closeGracefully();
    client.write('Host: test\r\n\r\n');
    assert.equal(await client.ended, 'fin');
    assert.match(client.received, /\/late$/);
  });

  it('takes unknown methods to the handler', async () => {
    await using engine = await TestEngine.start((exchange) => exchange.send(200, [], exchange.head.method));
    for (const method of ['brew', 'PROPFIND', 'M-SEARCH']) {
      const client = await engine.client(request(method, '/'));
      await client.until(`\r\n\r\n${method}`);
    }
  });
});
