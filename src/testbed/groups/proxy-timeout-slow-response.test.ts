import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { leastMs } from '../../kernel/testing/least-time.ts';
import { ManualClock } from '../../kernel/testing/manual-clock.ts';
import { rawRequest } from '../../kernel/testing/raw-client.ts';
import { startTestbed } from '../testing/start-testbed.ts';

const BASE = '/proxy-test/timeout';
const request = (path: string, method = 'GET') =>
  `${method} ${BASE}/${path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n`;

async function open(port: number, path: string): Promise<net.Socket> {
  const socket = net.connect({ port, host: '127.0.0.1' });
  await once(socket, 'connect');
  socket.write(request(path));
  return socket;
}

/** Waits for something that happens on another socket; a test that waits in vain fails by its own assertion. */
async function until(isTrue: () => boolean): Promise<void> {
  for (let tries = 0; tries < 500 && !isTrue(); tries++) await delay(5);
}

describe('the spec’s defaults', () => {
  const planned = [
    ['slow-first-byte', 5000],
    ['delay', 3000],
  ] as const;
  for (const [path, ms] of planned) {
    test(`${path} answers after ${ms} ms and not before`, async () => {
      const clock = new ManualClock();
      await using testbed = await startTestbed({ clock });
      const answer = rawRequest(testbed.port, request(path));
      await until(() => clock.sleeperCount === 1);
      clock.advance(ms - 1);
      assert.equal(clock.sleeperCount, 1);
      clock.advance(1);
      assert.equal((await answer).header('x-test-planned-ms'), String(ms));
    });
  }

  const slowBodies = [
    ['slow-body', 10],
    ['slow-body-with-length', 5],
  ] as const;
  for (const [path, chunks] of slowBodies) {
    test(`${path} sends ${chunks} chunks, one each second`, async () => {
      const clock = new ManualClock();
      await using testbed = await startTestbed({ clock });
      const socket = await open(testbed.port, path);
      let received = '';
      socket.on('data', (bytes) => {
        received += bytes.toString('latin1');
      });
      for (let number = 1; number <= chunks; number++) {
        await until(() => clock.sleeperCount === 1);
        assert.doesNotMatch(received, new RegExp(`chunk ${number} of`));
        clock.advance(999);
        assert.equal(clock.sleeperCount, 1);
        clock.advance(1);
        await until(() => received.includes(`chunk ${number} of ${chunks}\n`));
        assert.match(received, new RegExp(`chunk ${number} of ${chunks}\n`));
      }
      await until(() => socket.closed);
      assert.ok(socket.closed);
    });
  }

  test('slow-header spreads its header bytes over 5000 ms', async () => {
    const clock = new ManualClock();
    await using testbed = await startTestbed({ clock });
    const socket = await open(testbed.port, 'slow-header');
    let received = '';
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1');
    });
    await until(() => received !== '');
    assert.equal(received, 'HTTP/1.1 200 OK\r\n', 'the status line comes at once, and nothing else');
    await until(() => clock.sleeperCount === 1);
    clock.advance(2500);
    await until(() => received.length > 17);
    await until(() => clock.sleeperCount === 1);
    assert.ok(received.length < 60 && !received.includes('\r\n\r\n'), 'half of the time, half of the header');
    clock.advance(2500);
    await until(() => received.includes('"plannedMs": 5000'));
    assert.match(received, /\r\nX-Slow: [^\r]*\r\n[\s\S]*"plannedMs": 5000/);
    await until(() => socket.closed);
    assert.ok(socket.closed);
  });
});

test('slow-header bytes really leave one by one', async () => {
  await using testbed = await startTestbed();
  const socket = await open(testbed.port, 'slow-header?delay=500');
  let pieces = 0;
  socket.on('data', () => pieces++);
  await until(() => socket.closed);
  assert.ok(socket.closed);
  assert.ok(pieces >= 20, `${pieces} pieces`);
});

describe('HEAD gets no body', () => {
  for (const path of [
    'slow-header?delay=0',
    'slow-first-byte?delay=0',
    'slow-body',
    'slow-body-with-length',
    'incomplete',
  ]) {
    test(path, async () => {
      await using testbed = await startTestbed();
      const { status, wire } = await rawRequest(testbed.port, request(path, 'HEAD'));
      assert.equal(status, 200);
      assert.ok(wire.toString('latin1').endsWith('\r\n\r\n'));
    });
  }
});

describe('everything stops at once when the client resets the connection', () => {
  for (const path of ['slow-header', 'slow-first-byte', 'slow-body', 'slow-body-with-length', 'delay']) {
    test(path, async () => {
      const clock = new ManualClock();
      await using testbed = await startTestbed({ clock });
      const socket = await open(testbed.port, path);
      await until(() => clock.sleeperCount === 1);
      assert.equal(clock.sleeperCount, 1);
      socket.resetAndDestroy();
      await until(() => clock.sleeperCount === 0);
      assert.equal(clock.sleeperCount, 0);
      assert.deepEqual(testbed.errors, []);
    });
  }
});

// A client that only closes cannot be told from one that has just nothing more to say, until something is sent to it.
describe('everything stops with the next byte when the client closed the connection', () => {
  for (const path of ['slow-header', 'slow-body', 'slow-body-with-length']) {
    test(path, async () => {
      const clock = new ManualClock();
      await using testbed = await startTestbed({ clock });
      const socket = await open(testbed.port, path);
      await until(() => clock.sleeperCount === 1);
      socket.destroy();
      await until(() => socket.closed);
      clock.advance(1000);
      await until(() => clock.sleeperCount === 0);
      assert.equal(clock.sleeperCount, 0);
      assert.deepEqual(testbed.errors, []);
    });
  }
});

test('a thousand slow bodies cost one timer each and do not hold up others', async () => {
  const clock = new ManualClock();
  await using testbed = await startTestbed({ clock });
  const sockets = await Promise.all(Array.from({ length: 1000 }, () => open(testbed.port, 'slow-body')));
  await until(() => clock.sleeperCount === 1000);
  assert.equal(clock.sleeperCount, 1000);
  const wire = 'GET /uuid HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n';
  const tookMs = await leastMs(async () => {
    const { status } = await rawRequest(testbed.port, wire);
    assert.equal(status, 200);
  });
  assert.ok(tookMs < 500, `${tookMs} ms`);
  for (const socket of sockets) socket.resetAndDestroy();
  await until(() => clock.sleeperCount === 0);
  assert.equal(clock.sleeperCount, 0);
});

test('the longest delay is a setting', async () => {
  await using testbed = await startTestbed({ settings: { limits: { maxDelayMs: 100 } } });
  const { status, body } = await rawRequest(testbed.port, request('delay?ms=101'));
  assert.equal(status, 400);
  assert.match(body.toString(), /ms must be at most 100/);
});
