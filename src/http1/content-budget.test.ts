import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ContentBudget } from './content-budget.ts';
import { ClientGone, type Exchange } from './exchange.ts';
import { Refusal } from './refusals.ts';
import { answersIn, request, TestEngine } from './testing/loopback.ts';

const limits = { maxUnreadBodyBytes: 1_000 };
const LARGE_ANSWER = Buffer.alloc(30_000_000, 'x');

const post = (target: string, byteCount: number) =>
  request('POST', target, [`Content-Length: ${byteCount}`], 'x'.repeat(byteCount));

/** Answers with the length of the body: `/hold` when told to, `/large` with much more than that. */
function lengthTeller() {
  const held = Promise.withResolvers<void>();
  const handle = async (exchange: Exchange) => {
    try {
      const content = await exchange.body.bytes(1_000_000);
      if (exchange.head.target === '/hold') await held.promise;
      exchange.send(200, [], exchange.head.target === '/large' ? LARGE_ANSWER : String(content.length));
    } catch (error) {
      if (error instanceof Refusal) exchange.send(error.status, [], error.key);
      else if (!(error instanceof ClientGone)) throw error;
    }
  };
  return { handle, letGo: held.resolve };
}

async function untilTaken(budget: ContentBudget, byteCount: number): Promise<void> {
  const giveUpAtMs = performance.now() + 10_000;
  while (budget.takenBytes !== byteCount) {
    assert.ok(performance.now() < giveUpAtMs, `${budget.takenBytes} bytes are taken, not ${byteCount}`);
    await sleep(2);
  }
}

describe('the content of all exchanges together', () => {
  it('is bounded; small bodies always pass, and large ones again once there is room', async () => {
    const budget = new ContentBudget(10_000);
    const { handle, letGo } = lengthTeller();
    await using engine = await TestEngine.start(handle, { limits, contentBudget: budget });
    const first = await engine.client(post('/hold', 9_000));
    await untilTaken(budget, 8_000);

    const second = await engine.client(post('/', 5_000));
    assert.match(await second.until('too-much-content'), /^HTTP\/1\.1 503 Service Unavailable\r\n/);
    const small = await engine.client(post('/', 900));
    await small.until('\r\n\r\n900');
    assert.equal(budget.takenBytes, 8_000, 'what was refused and what is small takes nothing');

    letGo();
    await first.until('\r\n\r\n9000');
    await untilTaken(budget, 0);
    const again = await engine.client(post('/', 5_000));
    await again.until('\r\n\r\n5000');
  });

  it('counts as it arrives, not as it is announced', async () => {
    const budget = new ContentBudget(10_000);
    await using engine = await TestEngine.start(lengthTeller().handle, { limits, contentBudget: budget });
    await engine.client(request('POST', '/', ['Content-Length: 900000'], 'x'.repeat(3_000)));
    await untilTaken(budget, 2_000);
  });

  it('is given back with a refusal, before the client has closed', async () => {
    const budget = new ContentBudget(10_000);
    await using engine = await TestEngine.start(lengthTeller().handle, {
      limits,
      timeouts: { lingerMs: 60_000 },
      contentBudget: budget,
    });
    const client = await engine.client(request('POST', '/', ['Content-Length: 900000'], 'x'.repeat(10_000)));
    await untilTaken(budget, 9_000);
    client.write('x'.repeat(10_000));
    await client.until('too-much-content');
    await untilTaken(budget, 0);
  });

  it('is given back by a client that leaves', async () => {
    const budget = new ContentBudget(10_000);
    await using engine = await TestEngine.start(lengthTeller().handle, {
      limits,
      timeouts: { halfCloseMs: 20 },
      contentBudget: budget,
    });
    const client = await engine.client(post('/hold', 9_000));
    await untilTaken(budget, 8_000);
    client.socket.destroy();
    await untilTaken(budget, 0);
  });

  it('is given back between the requests of one connection', async () => {
    const budget = new ContentBudget(10_000);
    await using engine = await TestEngine.start(lengthTeller().handle, { limits, contentBudget: budget });
    const client = await engine.client(post('/', 9_000) + post('/', 8_000) + post('/', 7_000));
    await client.until('\r\n\r\n7000');
    assert.deepEqual(
      answersIn(client.received).map(({ body }) => body),
      ['9000', '8000', '7000'],
    );
    await untilTaken(budget, 0);
  });

  it('counts until the client has taken the answer, which may repeat it', async () => {
    const budget = new ContentBudget(10_000);
    await using engine = await TestEngine.start(lengthTeller().handle, { limits, contentBudget: budget });
    const client = await engine.client();
    client.maxKeptBytes = 1_000;
    client.socket.pause();
    client.write(post('/large', 9_000));
    await untilTaken(budget, 8_000);
    await sleep(100);
    assert.equal(budget.takenBytes, 8_000);
    client.socket.resume();
    await untilTaken(budget, 0);
  });
});
