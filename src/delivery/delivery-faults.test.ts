import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import type { AddressSource } from '../http1/client/client-options.ts';
import { ClientPool } from '../http1/client/client-pool.ts';
import { closedPort } from '../http1/client/testing/closed-port.ts';
import { openDeliveryPool } from './delivery-pool.ts';
import { DeafTarget } from './testing/deaf-target.ts';
import {
  answers,
  FaultyTarget,
  type FaultyTargetOptions,
  hangs,
  type Reaction,
  resets,
  writes,
} from './testing/faulty-target.ts';
import {
  assertGone,
  startRealDelivery,
  stopBalanced,
  type TestSettings,
  testSettings,
  until,
} from './testing/test-delivery.ts';

/** Short, because a test waits for them; far enough apart to be told from each other. */
const timeouts = { acquireMs: 1000, connectMs: 400, writeMs: 400, responseMs: 400, idleMs: 400 };
const quick: TestSettings = { retryBackoffMs: 5, timeouts };
/** Where no timeout is meant to end anything, however busy the machine is. */
const patient: TestSettings = { retryBackoffMs: 5 };

interface Fault {
  readonly name: string;
  readonly reaction?: Reaction;
  readonly target?: FaultyTargetOptions;
  readonly settings?: TestSettings;
  readonly record?: object;
  /** How the single attempt of a POST ends. */
  readonly reason: string;
  /** Attempts that the retry count of 1 allows. */
  readonly attempts: number;
}

const trickle =
  (bytes: string): Reaction =>
  async (_, socket) => {
    for (const byte of bytes) {
      if (socket.destroyed) return;
      socket.write(byte);
      await sleep(50);
    }
  };

const faults: readonly Fault[] = [
  { name: 'hangs before the answer', reaction: hangs, reason: 'response-timeout', attempts: 1 },
  {
    name: 'trickles the head of the answer',
    reaction: trickle(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(1000)}`),
    reason: 'response-timeout',
    attempts: 1,
  },
  {
    name: 'stops within the body of the answer',
    reaction: writes('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nx'),
    reason: 'idle-timeout',
    attempts: 1,
  },
  {
    name: 'does not read the request',
    target: { onConnection: (socket) => socket.pause() },
    record: { text: 'x'.repeat(24 * 1024 * 1024) },
    settings: { batchBufferMemoryBytes: 64 * 1024 * 1024 },
    reason: 'write-timeout',
    attempts: 1,
  },
  { name: 'resets instead of an answer', reaction: resets(), reason: 'connection-reset', attempts: 1 },
  {
    name: 'resets within the body of the answer',
    reaction: resets('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nx'),
    reason: 'connection-reset',
    attempts: 1,
  },
  {
    name: 'closes instead of an answer',
    reaction: (_, socket) => void socket.end(),
    reason: 'connection-closed',
    attempts: 1,
  },
  {
    name: 'closes within the body of the answer',
    reaction: (_, socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nx'),
    reason: 'connection-closed',
    attempts: 1,
  },
  {
    name: 'answers garbage',
    reaction: writes('220 smtp.test ESMTP\r\n\r\n'),
    reason: 'answer-invalid',
    attempts: 1,
  },
  {
    name: 'answers with two lengths',
    reaction: writes('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'),
    reason: 'answer-invalid',
    attempts: 1,
  },
  {
    name: 'answers with an endless head',
    reaction: writes(`HTTP/1.1 200 OK\r\n${'X: y\r\n'.repeat(200_000)}`),
    reason: 'answer-invalid',
    attempts: 1,
  },
  {
    name: 'redirects',
    reaction: answers(302, ['Location: http://127.0.0.1:1/']),
    reason: 'status-302',
    attempts: 1,
  },
  {
    name: 'redirects for good',
    reaction: answers(308, ['Location: /other']),
    reason: 'status-308',
    attempts: 1,
  },
  { name: 'says 404', reaction: answers(404), reason: 'status-404', attempts: 1 },
  { name: 'says 401', reaction: answers(401), reason: 'status-401', attempts: 1 },
  { name: 'says 500', reaction: answers(500), reason: 'status-500', attempts: 1 },
  { name: 'says 503', reaction: answers(503), reason: 'status-503', attempts: 1 },
  { name: 'says 503 for now', reaction: answers(503, ['Retry-After: 0']), reason: 'status-503', attempts: 2 },
  { name: 'says 429', reaction: answers(429), reason: 'status-429', attempts: 2 },
  { name: 'says 408', reaction: answers(408), reason: 'status-408', attempts: 2 },
];

for (const {
  name,
  reaction = hangs,
  target: targetOptions,
  settings,
  record = { n: 1 },
  reason,
  attempts,
} of faults) {
  test(`a target that ${name}: ${reason}, ${attempts} of 2 attempts, dropped and counted`, async () => {
    await using target = await FaultyTarget.start(reaction, targetOptions);
    const { engine } = startRealDelivery({ ...quick, fullUrl: target.url, ...settings });
    await engine.offer({ record });
    await until('an end', () => engine.counters().pending === 0);
    const counts = engine.counters();
    assert.deepEqual(counts.dropped, { [reason]: 1 });
    assert.deepEqual(counts.attempts, { [reason]: attempts });
    if (!targetOptions) assert.equal(target.requests.length, attempts);
    await assertGone(engine, target);
  });
}

test('a target that refuses connections is tried again, then the event is dropped', async () => {
  const gone = await FaultyTarget.start(hangs);
  const { url } = gone;
  await gone[Symbol.asyncDispose]();
  const { engine, problems } = startRealDelivery({ ...quick, fullUrl: url });
  await engine.offer({ record: {} });
  await until('an end', () => engine.counters().pending === 0);
  assert.deepEqual(engine.counters().dropped, { 'connect-refused': 1 });
  assert.deepEqual(engine.counters().attempts, { 'connect-refused': 2 });
  assert.equal(problems[0]!.kind, 'connection');
  await stopBalanced(engine);
});

test('a retry knocks again, however short the backoff', async () => {
  let knocks = 0;
  const port = await closedPort();
  const settings = { ...quick, fullUrl: `http://name.test:${port}/`, maxRetryCount: 3, retryBackoffMs: 0 };
  const addresses: AddressSource = {
    refuses: () => false,
    lookup: (_name, _options, callback) => {
      knocks++;
      setImmediate(() => callback(null, [{ address: '127.0.0.1', family: 4 }]));
    },
  };
  const { engine } = startRealDelivery(settings, {
    pool: openDeliveryPool(testSettings(settings).pool, addresses),
  });
  await engine.offer({ record: {} });
  await until('an end', () => engine.counters().pending === 0);
  assert.deepEqual(engine.counters().attempts, { 'connect-refused': 4 });
  assert.equal(knocks, 4);
  await stopBalanced(engine);
});

test('a target that answers no attempt to connect: the connect timeout, nothing was sent', {
  skip: process.platform !== 'linux' && 'other systems refuse where the line is full',
}, async () => {
  await using target = await DeafTarget.start();
  const { engine, problems } = startRealDelivery({ ...quick, fullUrl: target.url });
  await engine.offer({ record: {} });
  await until('an end', () => engine.counters().pending === 0);
  assert.deepEqual(engine.counters().dropped, { 'connect-timeout': 1 });
  assert.deepEqual(engine.counters().attempts, { 'connect-timeout': 2 });
  assert.equal(problems[0]!.kind, 'timeout');
  await stopBalanced(engine);
  assert.equal(engine.state().pool.total, 0);
});

test('a name that does not exist', async () => {
  const { engine } = startRealDelivery({ ...quick, fullUrl: 'http://no-such-name.invalid/' });
  await engine.offer({ record: {} });
  await until('an end', () => engine.counters().pending === 0);
  const [reason] = Object.keys(engine.counters().dropped);
  assert.match(reason!, /^dns-|^connect-timeout$/);
  await stopBalanced(engine);
});

test('a huge answer does not hold the delivery up and is not kept', async () => {
  const endless: Reaction = (_, socket) => {
    const block = Buffer.alloc(65_536, 'x');
    const write = () => {
      while (!socket.destroyed && socket.write(block)) {}
    };
    socket.on('drain', write);
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n');
    write();
  };
  await using target = await FaultyTarget.start(endless);
  const { engine } = startRealDelivery({ ...patient, fullUrl: target.url });
  for (let n = 0; n < 20; n++) await engine.offer({ record: { n } });
  await until('an end', () => engine.counters().pending === 0);
  assert.equal(engine.counters().delivered, 20);
  await assertGone(engine, target);
});

test('a storm of 429 is waited out', async () => {
  const reactions: Reaction[] = [
    ...Array.from({ length: 30 }, () => answers(429, ['Retry-After: 0'])),
    answers(200),
  ];
  await using target = await FaultyTarget.start(reactions);
  const { engine } = startRealDelivery({
    ...patient,
    fullUrl: target.url,
    maxRetryCount: 50,
    connectionPoolMaxConnectionPerHost: 2,
  });
  for (let n = 0; n < 10; n++) await engine.offer({ record: { n } });
  await until('all delivered', () => engine.counters().delivered === 10);
  assert.deepEqual(engine.counters().retries, { 'status-429': 30 });
  assert.ok(target.socketCount <= 2, 'the pool is bounded');
  await assertGone(engine, target);
});

test('a target that recovers gets what waited, each event once', async () => {
  await using target = await FaultyTarget.start([answers(429), answers(429), answers(200)]);
  const { engine } = startRealDelivery({
    ...patient,
    fullUrl: target.url,
    batchEnabled: true,
    batchMaxEvents: 10,
    maxRetryCount: 5,
  });
  for (let n = 0; n < 10; n++) await engine.offer({ record: { n } });
  await until('all delivered', () => engine.counters().delivered === 10);
  const [, , last] = target.requests;
  assert.equal(last!.headers['content-type'], 'application/x-ndjson');
  assert.deepEqual(
    target.records.slice(-10),
    Array.from({ length: 10 }, (_, n) => ({ n })),
  );
  await assertGone(engine, target);
});

for (const gzipEnabled of [false, true]) {
  test(`many batches at once, answered in any order, arrive whole${gzipEnabled ? ', compressed' : ''}`, async () => {
    const received: number[] = [];
    let calls = 0;
    const takes: Reaction = async (request, socket) => {
      const call = calls++;
      const text = (gzipEnabled ? gunzipSync(request.body) : request.body).toString();
      // What follows reuses the memory of what is answered already.
      await sleep(call % 7);
      for (const line of text.trimEnd().split('\n')) {
        const { n, text: filling } = JSON.parse(line) as { n: number; text: string };
        assert.equal(filling, String.fromCharCode(97 + (n % 26)).repeat(n % 900));
        received.push(n);
      }
      // A part of them is asked for again: the same bytes must still be there.
      void answers(call % 10 === 3 ? 429 : 200)(request, socket);
      if (call % 10 === 3) received.length -= text.trimEnd().split('\n').length;
    };
    await using target = await FaultyTarget.start(takes);
    const { engine } = startRealDelivery({
      ...patient,
      fullUrl: target.url,
      batchEnabled: true,
      gzipEnabled,
      batchMaxEvents: 40,
      maxRetryCount: 20,
      batchBufferMemoryBytes: 256 * 1024,
      producerThrottleMs: 2000,
    });
    for (let n = 0; n < 5000; n++)
      await engine.offer({ record: { n, text: String.fromCharCode(97 + (n % 26)).repeat(n % 900) } });
    await until('an end', () => engine.counters().pending === 0);
    assert.equal(engine.counters().delivered, 5000);
    assert.deepEqual(
      received.sort((one, other) => one - other),
      [...Array(5000).keys()],
    );
    await assertGone(engine, target);
  });
}

test('500 header rows go out with every call, in their order', async () => {
  await using target = await FaultyTarget.start(answers(200));
  const headerList = Array.from({ length: 500 }, (_, n) => ({ name: `X-Row-${n}`, value: `value ${n}` }));
  const { engine } = startRealDelivery({ ...patient, fullUrl: target.url, headerList });
  await engine.offer({ record: { n: 1 } });
  await engine.offer({ record: { n: 2 } });
  await until('delivered', () => engine.counters().delivered === 2);
  for (const { headers } of target.requests) {
    const rows = Object.entries(headers).filter(([name]) => name.startsWith('x-row-'));
    assert.deepEqual(
      rows,
      headerList.map(({ name, value }) => [name.toLowerCase(), value]),
    );
  }
  await assertGone(engine, target);
});

test('connections are used again and never more than allowed', async () => {
  await using target = await FaultyTarget.start(answers(200));
  const { engine } = startRealDelivery({
    ...patient,
    fullUrl: target.url,
    connectionPoolMaxConnectionPerHost: 3,
  });
  for (let n = 0; n < 100; n++) await engine.offer({ record: { n } });
  await until('all delivered', () => engine.counters().delivered === 100);
  assert.ok(target.socketCount <= 3, `${target.socketCount} sockets`);
  await assertGone(engine, target);
});

test('an open circuit opens no socket; exactly one after the sleep window, for many events', async () => {
  await using target = await FaultyTarget.start(
    (_, socket) => void socket.end('HTTP/1.1 500 No\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'),
  );
  const { engine } = startRealDelivery({
    ...patient,
    fullUrl: target.url,
    maxRetryCount: 0,
    circuitBreakerEnabled: true,
    errorThresholdValue: 3,
    sleepWindow: 1,
  });
  for (let n = 0; n < 3; n++) await engine.offer({ record: { n } });
  await until('open', () => engine.state().circuit === 'open');
  for (let n = 0; n < 50; n++) await engine.offer({ record: { n } });
  await until('an end', () => engine.counters().pending === 0);
  assert.equal(target.socketCount, 3);
  await sleep(1050);
  for (let n = 0; n < 50; n++) await engine.offer({ record: { n } });
  await until('an end', () => engine.counters().pending === 0);
  assert.equal(target.socketCount, 4);
  assert.equal(engine.counters().dropped['circuit-open'], 99);
  await assertGone(engine, target);
});

test('a pool that others have used up: its own reason, which does not open the circuit', async () => {
  await using target = await FaultyTarget.start(hangs);
  const settings: TestSettings = {
    ...quick,
    fullUrl: target.url,
    maxRetryCount: 0,
    circuitBreakerEnabled: true,
    errorThresholdValue: 1,
  };
  const pool = new ClientPool({
    maxPerHost: 1,
    maxTotal: 1,
    timeouts: { ...timeouts, acquireMs: 50, responseMs: 5000 },
  });
  const { engine } = startRealDelivery(settings, { pool });
  const other = pool.send({
    origin: { protocol: 'http:', host: '127.0.0.1', port: target.port },
    method: 'GET',
    target: '/',
    headers: [],
  });
  await target.untilRequests(1);
  await engine.offer({ record: {} });
  await until('an end', () => engine.counters().pending === 0);
  assert.deepEqual(engine.counters().dropped, { 'acquire-timeout': 1 });
  assert.equal(engine.state().circuit, 'closed');
  await Promise.all([assert.rejects(other), pool.destroy()]);
  await assertGone(engine, target);
});

test('stopping cuts off what hangs at the deadline and closes every socket', async () => {
  await using target = await FaultyTarget.start(hangs);
  const { engine } = startRealDelivery({ fullUrl: target.url, timeouts: { responseMs: 60_000 } });
  for (let n = 0; n < 5; n++) await engine.offer({ record: { n } });
  await target.untilRequests(5);
  const startedAtMs = performance.now();
  await stopBalanced(engine, 200);
  assert.ok(performance.now() - startedAtMs < 10_000);
  assert.deepEqual(engine.counters().dropped, { shutdown: 5 });
  await assertGone(engine, target);
});
