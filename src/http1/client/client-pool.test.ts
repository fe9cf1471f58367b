import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ClientPool } from './client-pool.ts';
import { arrivals, failureOf, sleep, until } from './testing/failing.ts';
import { ok, RawTarget, type TargetConnection } from './testing/raw-target.ts';

const answering = { onRequest: ({ socket }: TargetConnection) => void socket.write(ok('ok')) };
const silent = {};

/** Answers when the test says so. */
function held() {
  const waiting: TargetConnection[] = [];
  return {
    waiting,
    script: { onRequest: (connection: TargetConnection) => void waiting.push(connection) },
    async answerOne() {
      await until(() => waiting.length > 0);
      waiting.shift()!.socket.write(ok('ok'));
    },
  };
}

describe('the connections of a pool', () => {
  it('are used again', async () => {
    await using target = await RawTarget.start(answering);
    const pool = new ClientPool({ maxPerHost: 4, maxTotal: 4 });
    const first = await pool.send(target.request());
    const second = await pool.send(target.request({ method: 'POST', body: Buffer.from('hello') }));
    assert.equal(first.isReusedConnection, false);
    assert.equal(second.isReusedConnection, true);
    assert.deepEqual(Object.keys(first.phases), ['acquire', 'connect', 'write', 'response', 'body']);
    assert.deepEqual(Object.keys(second.phases), ['acquire', 'write', 'response', 'body']);
    assert.equal(target.connections.length, 1);
    assert.deepEqual(pool.usage(), {
      total: 1,
      busy: 0,
      idle: 1,
      connecting: 0,
      waiting: 0,
      maxPerHost: 4,
      maxTotal: 4,
    });
    await pool.close();
    await target.untilAllClosed();
  });

  it('are never more than the host may have, and those who wait come in their order', async () => {
    const { script, answerOne, waiting } = held();
    await using target = await RawTarget.start(script);
    const pool = new ClientPool({ maxPerHost: 2, maxTotal: 10 });
    const order: number[] = [];
    const calls = Array.from({ length: 6 }, (_, index) =>
      pool.send(target.request({ target: `/${index}` })).then(() => order.push(index)),
    );
    await until(() => waiting.length === 2);
    assert.equal(pool.usage().busy, 2);
    assert.equal(pool.usage().waiting, 4);
    for (let count = 0; count < 6; count++) await answerOne();
    await Promise.all(calls);
    assert.deepEqual(order, [0, 1, 2, 3, 4, 5]);
    assert.equal(target.connections.length, 2);
    await pool.close();
  });

  it('may be as many as one host may have, even if the total says less', async () => {
    await using target = await RawTarget.start(silent);
    const pool = new ClientPool({ maxPerHost: 3, maxTotal: 1 });
    assert.equal(pool.usage().maxTotal, 3);
    const calls = Array.from({ length: 4 }, () => failureOf(pool.send(target.request())));
    await until(() => target.openCount === 3);
    assert.equal(pool.usage().waiting, 1);
    await pool.destroy();
    await Promise.all(calls);
  });

  it('give way to another host whose turn has come', async () => {
    const first = held();
    await using one = await RawTarget.start(first.script);
    await using other = await RawTarget.start(answering);
    const pool = new ClientPool({ maxPerHost: 1, maxTotal: 1 });
    const running = pool.send(one.request());
    await until(() => first.waiting.length === 1);
    const toOther = pool.send(other.request());
    const toOneAgain = pool.send(one.request());
    await first.answerOne();
    await running;
    assert.equal((await toOther).status, 200);
    await first.answerOne();
    assert.equal((await toOneAgain).isReusedConnection, false);
    assert.deepEqual([one.connections.length, other.connections.length], [2, 1]);
    await pool.close();
  });

  it('make room for another host when they are idle', async () => {
    await using one = await RawTarget.start(answering);
    await using other = await RawTarget.start(answering);
    const pool = new ClientPool({ maxPerHost: 1, maxTotal: 1 });
    await pool.send(one.request());
    await pool.send(other.request());
    assert.equal(pool.usage().total, 1);
    await one.untilAllClosed();
    await pool.close();
  });

  it('are taken last in, first out', async () => {
    const { script, answerOne } = held();
    await using target = await RawTarget.start(script);
    const pool = new ClientPool({ maxPerHost: 2, maxTotal: 2 });
    const both = [pool.send(target.request()), pool.send(target.request())];
    await until(() => target.connections.length === 2);
    await answerOne();
    await answerOne();
    await Promise.all(both);
    for (let count = 0; count < 3; count++) {
      const call = pool.send(target.request());
      await answerOne();
      await call;
    }
    assert.deepEqual(target.connections.map(({ requestCount }) => requestCount).toSorted(), [1, 4]);
    await pool.close();
  });

  it('end when nobody has used them for a while', async () => {
    await using target = await RawTarget.start(answering);
    const pool = new ClientPool({ maxPerHost: 1, maxTotal: 1, keepAliveMs: 50 });
    await pool.send(target.request());
    assert.equal(pool.usage().idle, 1);
    await target.untilAllClosed();
    assert.equal(pool.usage().total, 0);
  });

  for (const [hint, isKept] of [
    ['timeout=60', true],
    ['timeout=60, max=100', true],
    ['max=5;timeout="60"', true],
    ['timeout=0', false],
  ] as const) {
    it(`are ${isKept ? 'kept' : 'closed'} when the target says Keep-Alive: ${hint}`, async () => {
      await using target = await RawTarget.start({
        onRequest: ({ socket }) => void socket.write(ok('ok', `Keep-Alive: ${hint}`)),
      });
      const pool = new ClientPool({ maxPerHost: 1, maxTotal: 1 });
      await pool.send(target.request());
      assert.equal(pool.usage().idle, isKept ? 1 : 0);
      await pool.close();
    });
  }

  it('end before the target ends them', async () => {
    await using target = await RawTarget.start({
      onRequest: ({ socket }) => void socket.write(ok('ok', 'Keep-Alive: timeout=1')),
    });
    const pool = new ClientPool({ maxPerHost: 1, maxTotal: 1 });
    // A busy machine may need a second round to show it.
    for (let round = 1; ; round++) {
      const startedAtMs = performance.now();
      await pool.send(target.request());
      await target.untilAllClosed();
      const tookMs = performance.now() - startedAtMs;
      assert.ok(tookMs >= 500, `${tookMs} ms`);
      if (tookMs < 1_000) return;
      assert.ok(round < 3, `${tookMs} ms`);
    }
  });

  it('are forgotten when the target closes them', async () => {
    await using target = await RawTarget.start(answering);
    const pool = new ClientPool({ maxPerHost: 1, maxTotal: 1 });
    await pool.send(target.request());
    target.connections[0]!.socket.end();
    await until(() => pool.usage().total === 0);
    assert.equal((await pool.send(target.request())).isReusedConnection, false);
    await pool.close();
  });

  it('are dropped when something comes that nobody asked for', async () => {
    await using target = await RawTarget.start(answering);
    const pool = new ClientPool({ maxPerHost: 1, maxTotal: 1 });
    await pool.send(target.request());
    target.connections[0]!.socket.write('HTTP/1.1 408 Request Timeout\r\n\r\n');
    await until(() => pool.usage().total === 0);
    await target.untilAllClosed();
  });

  for (const end of ['end', 'resetAndDestroy'] as const) {
    it(`say that they were stale when the target leaves with ${end} instead of an answer`, async () => {
      await using target = await RawTarget.start({
        onRequest: ({ socket, requestCount }) => {
          if (requestCount === 1) socket.write(ok());
          else socket[end]();
        },
      });
      const pool = new ClientPool({ maxPerHost: 1, maxTotal: 1 });
      await pool.send(target.request());
      const failure = await failureOf(pool.send(target.request()));
      assert.equal(failure.reason, 'stale-connection');
      assert.equal(failure.phase, 'response');
      assert.equal(failure.isRequestSent, true);
      assert.equal(pool.usage().total, 0);
    });
  }

  it('are not stale when they are new, or when an answer had begun', async () => {
    let answerBegins = '';
    await using target = await RawTarget.start({
      onRequest: ({ socket, requestCount }) => {
        if (requestCount === 1 && answerBegins !== '') socket.write(ok());
        else {
          socket.write(answerBegins || ' ');
          socket.end();
        }
      },
    });
    const pool = new ClientPool({ maxPerHost: 1, maxTotal: 1 });
    assert.equal((await failureOf(pool.send(target.request()))).reason, 'answer-invalid');
    answerBegins = 'HTTP/1.1 2';
    await pool.send(target.request());
    assert.equal((await failureOf(pool.send(target.request()))).reason, 'connection-closed');
  });
});

describe('the queue of a pool', () => {
  it('is bounded', async () => {
    await using target = await RawTarget.start(silent);
    const pool = new ClientPool({ maxPerHost: 1, maxTotal: 1, maxWaiting: 2 });
    const waiting = Array.from({ length: 3 }, () => failureOf(pool.send(target.request())));
    const failure = await failureOf(pool.send(target.request()));
    assert.equal(failure.reason, 'queue-full');
    assert.equal(failure.isRequestSent, false);
    assert.equal(pool.usage().waiting, 2);
    await pool.destroy();
    await Promise.all(waiting);
  });

  it('goes on when a connection fails', async () => {
    await using target = await RawTarget.start({
      onRequest: ({ socket, index }) => {
        if (index === 0) socket.resetAndDestroy();
        else socket.write(ok('ok'));
      },
    });
    const pool = new ClientPool({ maxPerHost: 1, maxTotal: 1 });
    const broken = failureOf(pool.send(target.request()));
    const next = pool.send(target.request());
    assert.equal((await broken).reason, 'connection-reset');
    assert.equal((await next).status, 200);
    await pool.close();
  });
});

describe('cancelling a call', () => {
  const cancelled = new Error('not wanted any more');

  it('that has not begun contacts nobody', async () => {
    await using target = await RawTarget.start(answering);
    const pool = new ClientPool({ maxPerHost: 1, maxTotal: 1 });
    const failure = await failureOf(pool.send(target.request(), { signal: AbortSignal.abort(cancelled) }));
    assert.equal(failure.reason, 'aborted');
    assert.equal(failure.cause, cancelled);
    assert.equal(target.connections.length, 0);
  });

  it('that waits takes it out of the queue at once', async () => {
    await using target = await RawTarget.start(silent);
    const pool = new ClientPool({ maxPerHost: 1, maxTotal: 1 });
    const running = failureOf(pool.send(target.request()));
    const controller = new AbortController();
    const waiting = failureOf(pool.send(target.request(), { signal: controller.signal }));
    assert.equal(pool.usage().waiting, 1);
    controller.abort(cancelled);
    const failure = await waiting;
    assert.equal(failure.phase, 'acquire');
    assert.equal(failure.isRequestSent, false);
    assert.equal(pool.usage().waiting, 0);
    await pool.destroy();
    await running;
  });

  it('that resolves a name leaves the resolver behind', async () => {
    const pool = new ClientPool({
      maxPerHost: 1,
      maxTotal: 1,
      addresses: { lookup: () => {}, refuses: () => false },
    });
    const controller = new AbortController();
    const origin = { protocol: 'http:', host: 'slow.test', port: 80 } as const;
    const request = { origin, method: 'GET', target: '/', headers: [] };
    const call = failureOf(pool.send(request, { signal: controller.signal }));
    await arrivals();
    controller.abort(cancelled);
    assert.equal((await call).phase, 'dns');
    assert.equal(pool.usage().total, 0);
  });

  it('that shakes hands closes the connection', async () => {
    await using target = await RawTarget.start(silent);
    const pool = new ClientPool({ maxPerHost: 1, maxTotal: 1 });
    const controller = new AbortController();
    const origin = { ...target.origin, protocol: 'https:' } as const;
    const call = failureOf(pool.send(target.request({ origin }), { signal: controller.signal }));
    await until(() => target.connections[0]?.received !== undefined && target.connections[0].received !== '');
    controller.abort(cancelled);
    assert.equal((await call).phase, 'tls');
    await target.untilAllClosed();
  });

  it('that sends its body closes the connection', async () => {
    await using target = await RawTarget.start({ isPaused: true });
    const pool = new ClientPool({ maxPerHost: 1, maxTotal: 1 });
    const controller = new AbortController();
    const request = target.request({ method: 'POST', body: Buffer.alloc(64 * 1024 * 1024) });
    const call = failureOf(pool.send(request, { signal: controller.signal }));
    await until(() => target.connections.length === 1);
    await arrivals();
    controller.abort(cancelled);
    const failure = await call;
    assert.equal(failure.phase, 'write');
    assert.equal(failure.isRequestSent, true);
    await target.untilAllClosed();
  });

  it('that waits for its answer closes the connection', async () => {
    await using target = await RawTarget.start(silent);
    const pool = new ClientPool({ maxPerHost: 1, maxTotal: 1 });
    const controller = new AbortController();
    const call = failureOf(pool.send(target.request(), { signal: controller.signal }));
    await until(() => target.connections[0]?.requestCount === 1);
    controller.abort(cancelled);
    assert.equal((await call).phase, 'response');
    await target.untilAllClosed();
  });

  it('that reads its answer closes the connection', async () => {
    await using target = await RawTarget.start({
      onRequest: ({ socket }) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'),
    });
    const pool = new ClientPool({ maxPerHost: 1, maxTotal: 1 });
    const controller = new AbortController();
    const call = failureOf(pool.send(target.request(), { signal: controller.signal }));
    await until(() => target.connections[0]?.requestCount === 1);
    await arrivals();
    controller.abort(cancelled);
    const failure = await call;
    assert.equal(failure.phase, 'body');
    assert.equal(failure.status, 200);
    await target.untilAllClosed();
  });

  it('that is over does nothing, and leaves no listener on the signal', async () => {
    await using target = await RawTarget.start(answering);
    const pool = new ClientPool({ maxPerHost: 1, maxTotal: 1 });
    const controller = new AbortController();
    await pool.send(target.request(), { signal: controller.signal });
    controller.abort(cancelled);
    assert.equal(pool.usage().idle, 1);
    await pool.close();
  });
});

describe('closing a pool', () => {
  it('lets calls that run come to their end, and takes no others', async () => {
    const { script, answerOne, waiting } = held();
    await using target = await RawTarget.start(script);
    const pool = new ClientPool({ maxPerHost: 1, maxTotal: 1 });
    const running = pool.send(target.request());
    const queued = failureOf(pool.send(target.request()));
    await until(() => waiting.length === 1);
    const closed = pool.close();
    assert.equal((await queued).reason, 'pool-closed');
    assert.equal((await failureOf(pool.send(target.request()))).reason, 'pool-closed');
    await answerOne();
    assert.equal((await running).status, 200);
    await closed;
    assert.equal(pool.usage().total, 0);
    await target.untilAllClosed();
  });

  it('that is empty resolves at once', async () => {
    await new ClientPool({ maxPerHost: 1, maxTotal: 1 }).close();
  });

  it('by force ends what runs', async () => {
    await using target = await RawTarget.start(silent);
    const pool = new ClientPool({ maxPerHost: 2, maxTotal: 2 });
    const calls = [failureOf(pool.send(target.request())), failureOf(pool.send(target.request()))];
    await until(() => target.connections.length === 2);
    await pool.destroy();
    for (const call of calls) assert.equal((await call).reason, 'pool-closed');
    await target.untilAllClosed();
  });
});

describe('many calls with random ends', () => {
  it('leave neither a socket nor a slot behind', async () => {
    await using target = await RawTarget.start({
      onRequest: ({ socket }, request) => {
        const fate = Number(/\d+/.exec(request)![0]) % 6;
        if (fate === 0) socket.resetAndDestroy();
        else if (fate === 1) socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe');
        else if (fate === 2) socket.write('garbage\r\n\r\n');
        else if (fate === 3) socket.write(ok('ok', 'Connection: close'));
        else socket.write(ok('ok'));
      },
    });
    const pool = new ClientPool({ maxPerHost: 5, maxTotal: 5 });
    const controllers = Array.from({ length: 300 }, () => new AbortController());
    const calls = Promise.allSettled(
      controllers.map(({ signal }, index) => pool.send(target.request({ target: `/${index}` }), { signal })),
    );
    for (const [index, controller] of controllers.entries()) {
      if (index % 7 === 0) controller.abort();
      if (index % 50 === 0) await sleep(1);
    }
    const results = await calls;
    assert.ok(results.some(({ status }) => status === 'fulfilled'));
    assert.equal(pool.usage().waiting, 0);
    assert.equal(pool.usage().busy, 0);
    assert.equal(pool.usage().total, pool.usage().idle);
    await until(() => target.openCount === pool.usage().idle);
    assert.ok(target.openCount <= 5);
    await pool.close();
    await target.untilAllClosed();
  });
});
