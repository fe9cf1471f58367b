import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ClientFailure, ClientFailureReason } from './client-failure.ts';
import type { ClientTimeouts } from './client-options.ts';
import { ClientPool } from './client-pool.ts';
import type { ClientRequest } from './client-request.ts';
import { failureOf, sleep, until } from './testing/failing.ts';
import { ok, RawTarget, type TargetScript } from './testing/raw-target.ts';

// A real clock, because how exactly the timeouts are kept is what is tested.
const TIMEOUT_MS = 250;
const TRIES = 5;
/** The target of the lateness, in the median of the tries. */
const MAX_LATE_MS = 50;
const MAX_ROUNDS = 3;

const none: ClientTimeouts = { acquireMs: 0, connectMs: 0, writeMs: 0, responseMs: 0, idleMs: 0 };
/** More than the buffers of both systems hold. */
const LARGE_BYTES = 64 * 1024 * 1024;
const largeBody = Buffer.alloc(LARGE_BYTES);

interface TimedCase {
  readonly script: TargetScript;
  readonly timeouts: Partial<ClientTimeouts>;
  readonly request?: Partial<ClientRequest>;
  /** When the time begins to run, after the start of the call. */
  readonly startsAfterMs?: number;
  readonly onEnd?: () => void;
}

/** Never early, and late by little in the median. A busy machine may need a second round to show it. */
async function checkLateness(lateness: () => Promise<number[]>): Promise<void> {
  for (let round = 1; ; round++) {
    const lateMs = (await lateness()).toSorted((one, other) => one - other);
    assert.ok(lateMs[0]! >= 0, `early by ${-lateMs[0]!} ms`);
    if (lateMs[lateMs.length >> 1]! <= MAX_LATE_MS) return;
    assert.ok(round < MAX_ROUNDS, `late by ${lateMs.map((ms) => ms.toFixed(0))} ms`);
  }
}

/** Several tries, each with a pool and a target of its own. */
async function timed(reason: ClientFailureReason, timedCase: TimedCase): Promise<ClientFailure> {
  let last: ClientFailure | undefined;
  await checkLateness(async () => {
    const tries = await Promise.all(Array.from({ length: TRIES }, () => timedOnce(timedCase)));
    for (const { failure } of tries) assert.equal(failure.reason, reason);
    last = tries[0]!.failure;
    return tries.map(({ tookMs }) => tookMs - TIMEOUT_MS - (timedCase.startsAfterMs ?? 0));
  });
  return last!;
}

async function timedOnce({ script, timeouts, request, onEnd }: TimedCase) {
  await using target = await RawTarget.start(script);
  const pool = new ClientPool({ maxPerHost: 1, maxTotal: 1, timeouts: { ...none, ...timeouts } });
  const startedAtMs = performance.now();
  const failure = await failureOf(pool.send(target.request(request)));
  const tookMs = performance.now() - startedAtMs;
  onEnd?.();
  await target.untilAllClosed();
  assert.equal(pool.usage().total, 0);
  return { failure, tookMs };
}

describe('timeouts', () => {
  it('ends the wait for a connection', async () => {
    await using target = await RawTarget.start();
    const pool = new ClientPool({ maxPerHost: 1, maxTotal: 1, timeouts: { ...none, acquireMs: TIMEOUT_MS } });
    const running = failureOf(pool.send(target.request()));
    const lateness = async () => {
      const startedAtMs = performance.now();
      const failure = await failureOf(pool.send(target.request()));
      const lateMs = performance.now() - startedAtMs - TIMEOUT_MS;
      assert.equal(failure.reason, 'acquire-timeout');
      assert.equal(failure.phase, 'acquire');
      assert.equal(failure.isRequestSent, false);
      assert.ok(failure.phases.acquire! >= TIMEOUT_MS);
      return lateMs;
    };
    await checkLateness(() => Promise.all(Array.from({ length: TRIES }, lateness)));
    assert.equal(target.connections.length, 1);
    await pool.destroy();
    assert.equal((await running).reason, 'pool-closed');
  });

  it('ends the wait for the name', async () => {
    const pool = new ClientPool({
      maxPerHost: 1,
      maxTotal: 1,
      timeouts: { ...none, connectMs: TIMEOUT_MS },
      addresses: { lookup: () => {}, refuses: () => false },
    });
    const origin = { protocol: 'http:', host: 'slow.test', port: 80 } as const;
    // The wait itself does not keep the process alive.
    const alive = setInterval(() => {}, 1_000);
    const startedAtMs = performance.now();
    const failure = await failureOf(pool.send({ origin, method: 'GET', target: '/', headers: [] }));
    clearInterval(alive);
    assert.ok(performance.now() - startedAtMs >= TIMEOUT_MS);
    assert.equal(failure.reason, 'connect-timeout');
    assert.equal(failure.phase, 'dns');
    assert.equal(pool.usage().total, 0);
  });

  it('ends a handshake that stands still', async () => {
    await using target = await RawTarget.start();
    const timeouts = { ...none, connectMs: TIMEOUT_MS };
    const pool = new ClientPool({ maxPerHost: TRIES, maxTotal: TRIES, timeouts });
    const origin = { ...target.origin, protocol: 'https:' } as const;
    const lateness = async () => {
      const startedAtMs = performance.now();
      const failure = await failureOf(pool.send(target.request({ origin })));
      const lateMs = performance.now() - startedAtMs - TIMEOUT_MS;
      assert.equal(failure.reason, 'connect-timeout');
      assert.equal(failure.phase, 'tls');
      assert.equal(failure.isRequestSent, false);
      assert.ok(failure.phases.connect! < TIMEOUT_MS && failure.phases.tls! > 0);
      return lateMs;
    };
    await checkLateness(() => Promise.all(Array.from({ length: TRIES }, lateness)));
    await target.untilAllClosed();
  });

  it('ends the sending of a body that nobody reads', async () => {
    const failure = await timed('write-timeout', {
      script: { isPaused: true },
      timeouts: { writeMs: TIMEOUT_MS, responseMs: 60_000 },
      request: { method: 'POST', body: largeBody },
    });
    assert.equal(failure.phase, 'write');
    assert.equal(failure.isRequestSent, true);
  });

  it('ends the sending of a streamed body when the target takes no more', async () => {
    const lateness = async () => {
      let lastTakenAtMs = 0;
      let lateMs = 0;
      const body = (async function* () {
        for (;;) {
          lastTakenAtMs = performance.now();
          yield largeBody.subarray(0, 1024 * 1024);
        }
      })();
      const { failure } = await timedOnce({
        script: { isPaused: true },
        timeouts: { writeMs: TIMEOUT_MS },
        request: { method: 'POST', body },
        onEnd: () => {
          lateMs = performance.now() - lastTakenAtMs - TIMEOUT_MS;
        },
      });
      assert.equal(failure.reason, 'write-timeout');
      assert.equal(failure.phase, 'write');
      return lateMs;
    };
    await checkLateness(() => Promise.all(Array.from({ length: TRIES }, lateness)));
  });

  it('ends the wait for the head of the answer', async () => {
    const failure = await timed('response-timeout', { script: {}, timeouts: { responseMs: TIMEOUT_MS } });
    assert.equal(failure.phase, 'response');
    assert.equal(failure.isRequestSent, true);
    assert.ok(failure.phases.response! >= TIMEOUT_MS - 1);
  });

  it('ends it when the head trickles in', async () => {
    await timed('response-timeout', {
      script: {
        onRequest: async ({ socket }) => {
          for (const character of `${ok()}`.repeat(9)) {
            if (socket.destroyed) return;
            socket.write(character.replace(/[\r\n]/, 'x'));
            await sleep(20);
          }
        },
      },
      timeouts: { responseMs: TIMEOUT_MS, idleMs: 100 },
    });
  });

  it('ends it when only interim answers come', async () => {
    await timed('response-timeout', {
      script: {
        onRequest: async ({ socket }) => {
          while (!socket.destroyed) {
            socket.write('HTTP/1.1 102 Processing\r\n\r\n');
            await sleep(30);
          }
        },
      },
      timeouts: { responseMs: TIMEOUT_MS },
    });
  });

  it('ends an answer that stops', async () => {
    const failure = await timed('idle-timeout', {
      script: {
        onRequest: async ({ socket }) => {
          socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n');
          await sleep(100);
          socket.write('half');
        },
      },
      timeouts: { idleMs: TIMEOUT_MS, responseMs: 60_000 },
      startsAfterMs: 100,
    });
    assert.equal(failure.phase, 'body');
    assert.equal(failure.status, 200);
  });

  it('counts the time to answer from the last byte of the request', async () => {
    await using target = await RawTarget.start({
      isPaused: true,
      onConnection: ({ socket }) => void setTimeout(() => socket.resume(), 2_100),
      onRequest: ({ socket }) => socket.write(ok('late')),
    });
    const pool = new ClientPool({
      maxPerHost: 1,
      maxTotal: 1,
      timeouts: { ...none, responseMs: 2_000, writeMs: 60_000 },
    });
    const answer = await pool.send(target.request({ method: 'POST', body: Buffer.alloc(LARGE_BYTES / 4) }));
    assert.equal(answer.body.toString(), 'late');
    // The response timeout alone would have ended it.
    assert.ok(answer.phases.write! > 2_000, `${answer.phases.write} ms`);
    await pool.close();
  });
});

describe('what is slow but moves', () => {
  it('an upload goes on for as long as the write timeout allows', async () => {
    let readBytes = 0;
    await using target = await RawTarget.start({
      isPaused: true,
      onConnection: async ({ socket }) => {
        socket.removeAllListeners('data');
        socket.on('data', (bytes: Buffer) => {
          readBytes += bytes.length;
          socket.pause();
          if (readBytes > LARGE_BYTES) socket.write(ok());
          else setTimeout(() => socket.resume(), 1);
        });
        socket.resume();
      },
    });
    const pool = new ClientPool({
      maxPerHost: 1,
      maxTotal: 1,
      timeouts: { ...none, writeMs: 60_000, responseMs: 2_000, idleMs: 100 },
    });
    const answer = await pool.send(target.request({ method: 'POST', body: largeBody }));
    assert.equal(answer.status, 200);
    assert.ok(answer.phases.write! > 100, `${answer.phases.write} ms`);
    await pool.close();
  });

  for (const writeMs of [0, -1]) {
    it(`an upload that stands still goes on with a write timeout of ${writeMs}`, async () => {
      await using target = await RawTarget.start({
        isPaused: true,
        onConnection: ({ socket }) => void setTimeout(() => socket.resume(), 300),
        onRequest: ({ socket }) => socket.write(ok()),
      });
      const pool = new ClientPool({ maxPerHost: 1, maxTotal: 1, timeouts: { ...none, writeMs } });
      const body = Buffer.alloc(LARGE_BYTES / 4);
      assert.equal((await pool.send(target.request({ method: 'POST', body }))).status, 200);
      await pool.close();
    });
  }

  it('a source of a streamed body takes its time', async () => {
    await using target = await RawTarget.start({ onRequest: ({ socket }) => socket.write(ok()) });
    const pool = new ClientPool({ maxPerHost: 1, maxTotal: 1, timeouts: { ...none, writeMs: 50 } });
    const body = (async function* () {
      for (let count = 0; count < 3; count++) {
        await sleep(100);
        yield Buffer.from('x');
      }
    })();
    assert.equal((await pool.send(target.request({ method: 'POST', body }))).status, 200);
    await pool.close();
  });

  it('an answer trickles for longer than any timeout', async () => {
    await using target = await RawTarget.start({
      onRequest: async ({ socket }) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n');
        for (let count = 0; count < 10; count++) {
          await sleep(60);
          socket.write('x');
        }
      },
    });
    const timeouts = { ...none, responseMs: 300, idleMs: 300 };
    const pool = new ClientPool({ maxPerHost: 1, maxTotal: 1, timeouts });
    const answer = await pool.send(target.request());
    assert.equal(answer.body.length, 10);
    assert.ok(answer.phases.body! > 300);
    await pool.close();
  });

  it('what came while the process was busy counts as in time', async () => {
    await using target = await RawTarget.start();
    const pool = new ClientPool({ maxPerHost: 1, maxTotal: 1, timeouts: { ...none, responseMs: 100 } });
    const answer = pool.send(target.request());
    await until(() => target.connections[0]?.requestCount === 1);
    target.connections[0]!.socket.write(ok('in time'));
    await new Promise((resolve) => setImmediate(resolve));
    const busyUntilMs = performance.now() + 150;
    while (performance.now() < busyUntilMs);
    assert.equal((await answer).body.toString(), 'in time');
    await pool.close();
  });
});
