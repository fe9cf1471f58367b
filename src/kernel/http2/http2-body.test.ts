import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientHttp2Stream, constants } from 'node:http2';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ContentBudget } from '../../http1/content-budget.ts';
import type { Exchange } from '../../http1/exchange.ts';
import { defaultLimits, defaultTimeouts } from '../../http1/limits.ts';
import { Refusal } from '../../http1/refusals.ts';
import { Listener } from '../listener.ts';
import { silentLog } from '../log.ts';
import { renderRefusal } from '../problem.ts';
import { connectHttp2, http2Request } from '../testing/http2-client.ts';

describe('the body of an HTTP/2 request', () => {
  const budget = new ContentBudget(10_000);
  let listener: Listener;
  let session: ReturnType<typeof connectHttp2>;
  let held: PromiseWithResolvers<void>;

  beforeEach(async () => {
    held = Promise.withResolvers();
    listener = await Listener.start({
      host: '127.0.0.1',
      port: 0,
      expectsProxyHeader: false,
      handle: (exchange) => void answer(exchange),
      log: silentLog,
      http1: {
        limits: { ...defaultLimits, maxUnreadBodyBytes: 1_000 },
        timeouts: { ...defaultTimeouts, bodyMs: 200, minBodyBytesPerSecond: 1_000, lingerMs: 50 },
        contentBudget: budget,
        isLenient: false,
        now: Date.now,
        renderRefusal,
      },
    });
    session = connectHttp2(listener.port);
  });
  afterEach(async () => {
    session.destroy();
    await listener.stop(0);
  });

  /** `/hold` is answered when the test says so, `/forget` keeps nothing, `/talk` may pause. */
  async function answer(exchange: Exchange): Promise<void> {
    const { body, head } = exchange;
    try {
      if (head.target === '/talk') body.allowPauses?.(60_000);
      if (head.target === '/forget') await body.discard(4_000);
      else await body.bytes(1_000_000);
      if (head.target === '/hold') await held.promise;
      exchange.send(200, [], String(body.receivedLength));
    } catch (error) {
      if (error instanceof Refusal) exchange.send(error.status, [], error.key);
    }
  }

  async function post(target: string, byteCount: number, headers: string[] = []): Promise<string> {
    const body = Buffer.alloc(byteCount, 'x');
    const asked = { method: 'POST', target, headers, body };
    const { status, body: answered } = await http2Request(session, 'test', asked);
    return `${status} ${answered}`;
  }

  async function answerOn(stream: ClientHttp2Stream): Promise<string> {
    const [head] = await once(stream, 'response');
    let text = '';
    for await (const chunk of stream.setEncoding('utf8').iterator({ destroyOnReturn: false })) text += chunk;
    return `${head[':status']} ${text}`;
  }

  async function untilTaken(byteCount: number): Promise<void> {
    const giveUpAtMs = performance.now() + 10_000;
    while (budget.takenBytes !== byteCount) {
      assert.ok(performance.now() < giveUpAtMs, `${budget.takenBytes} bytes are taken, not ${byteCount}`);
      await sleep(2);
    }
  }

  it('counts against what all exchanges may keep, until the answer has left', async () => {
    const holding = post('/hold', 9_000);
    await untilTaken(8_000);
    assert.equal(await post('/', 5_000), '503 too-much-content');
    assert.equal(await post('/', 900), '200 900');
    held.resolve();
    assert.equal(await holding, '200 9000');
    await untilTaken(0);
    assert.equal(await post('/', 5_000), '200 5000');
  });

  it('is given back by a client that leaves', async () => {
    post('/hold', 9_000).catch(() => {});
    await untilTaken(8_000);
    session.destroy();
    await untilTaken(0);
  });

  it('is refused when there is more of it than its reader forgets', async () => {
    assert.equal(await post('/forget', 3_000), '200 3000');
    assert.equal(await post('/forget', 5_000), '413 body-too-large');
  });

  it('is given up when it stops coming, and its stream with it', async () => {
    const stream = session.request({ ':method': 'POST', ':path': '/' });
    stream.write('x');
    assert.equal(await answerOn(stream), '408 body-timeout');
    // The client never ends its half.
    await once(stream, 'close');
    assert.equal(stream.rstCode, constants.NGHTTP2_NO_ERROR);
  });

  it('is given up when it only drips', async () => {
    const stream = session.request({ ':method': 'POST', ':path': '/' });
    const dripping = setInterval(() => stream.write('x'), 20);
    stream.on('close', () => clearInterval(dripping));
    assert.equal(await answerOn(stream), '408 body-timeout');
  });

  it('may pause where it is one half of a conversation', async () => {
    const stream = session.request({ ':method': 'POST', ':path': '/talk' });
    stream.write('x');
    await sleep(500);
    stream.end('y');
    assert.equal(await answerOn(stream), '200 2');
  });
});
