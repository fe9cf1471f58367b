import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { DeliveryCounters } from './counters.ts';
import type { DeliveryEngine } from './delivery-engine.ts';
import type { Fallback, OfferOutcome, UnsentSink } from './delivery-event.ts';
import { type Ending, ScriptedPool } from './testing/scripted-pool.ts';
import {
  assertBalanced,
  MemorySink,
  pass,
  settle,
  startDelivery,
  stopBalanced,
  type TestSettings,
} from './testing/test-delivery.ts';

const OK: Ending = { status: 200 };
const batched: TestSettings = {
  batchEnabled: true,
  batchMaxEvents: 3,
  batchMaxBytes: 1000,
  batchMaxDelayMs: 200,
};

function offerAll(engine: DeliveryEngine, count: number, fallback?: Fallback): Promise<OfferOutcome[]> {
  return Promise.all(
    Array.from({ length: count }, (_, n) =>
      fallback ? engine.offer({ record: { n } }, fallback) : engine.offer({ record: { n } }),
    ),
  );
}

test('batch off: one call for each event, the bare record as JSON, never compressed', async () => {
  const pool = new ScriptedPool([OK]);
  const { engine } = startDelivery({ gzipEnabled: true, headerList: [{ name: 'X-Key', value: 'k' }] }, pool);
  await offerAll(engine, 2);
  await settle();
  assert.deepEqual(pool.bodies, ['{"n":0}', '{"n":1}']);
  const [request] = pool.requests;
  assert.equal(request!.method, 'POST');
  assert.equal(request!.target, '/logs');
  assert.deepEqual(request!.origin, { protocol: 'http:', host: 'target.test', port: 80 });
  const headers = request!.headers.join('|');
  assert.match(headers, /^X-Key\|k\|Content-Type\|application\/json\|User-Agent\|Gatehouse/);
  assert.doesNotMatch(headers, /gzip/);
  await stopBalanced(engine);
  assert.equal(engine.counters().delivered, 2);
  assert.ok(pool.isClosed);
});

test('a batch is closed by the count of its events', async () => {
  const pool = new ScriptedPool([OK]);
  const { engine } = startDelivery(batched, pool);
  await offerAll(engine, 7);
  await settle();
  assert.deepEqual(pool.bodies, ['{"n":0}\n{"n":1}\n{"n":2}\n', '{"n":3}\n{"n":4}\n{"n":5}\n']);
  assert.ok(pool.requests[0]!.headers.includes('application/x-ndjson'));
  await stopBalanced(engine);
  assert.equal(pool.bodies[2], '{"n":6}\n', 'stopping sends the rest');
});

test('a batch is closed by the delay, counted from its first event', async () => {
  const pool = new ScriptedPool([OK]);
  const { engine, clock } = startDelivery(batched, pool);
  await offerAll(engine, 1);
  await pass(clock, 150);
  await offerAll(engine, 1);
  await pass(clock, 49);
  assert.equal(pool.requests.length, 0);
  await pass(clock, 1);
  assert.deepEqual(pool.bodies, ['{"n":0}\n{"n":0}\n']);
  await stopBalanced(engine);
});

test('the delay of a batch does not suffer from the batches before it', async () => {
  const pool = new ScriptedPool([OK]);
  const { engine, clock } = startDelivery(batched, pool);
  await offerAll(engine, 1);
  await pass(clock, 100);
  await offerAll(engine, 3);
  assert.equal(pool.requests.length, 1, 'closed by count after 100 ms; one event is left over');
  await pass(clock, 199);
  assert.equal(pool.requests.length, 1);
  await pass(clock, 1);
  assert.equal(pool.requests.length, 2);
  await stopBalanced(engine);
});

test('an event that would make a batch too large closes it first, and one too large for any goes alone', async () => {
  const pool = new ScriptedPool([OK]);
  const { engine } = startDelivery({ ...batched, batchMaxEvents: 100, batchMaxBytes: 50 }, pool);
  const texts = ['a'.repeat(20), 'b'.repeat(20), 'c'.repeat(200), 'd'].map((text) =>
    JSON.stringify({ text }),
  );
  for (const record of texts) await engine.offer({ record });
  await stopBalanced(engine);
  assert.deepEqual(
    pool.bodies,
    texts.map((text) => `${text}\n`),
  );
});

test('a batch of exactly the largest size is sent at once', async () => {
  const pool = new ScriptedPool([OK]);
  const { engine } = startDelivery({ ...batched, batchMaxBytes: 16 }, pool);
  await offerAll(engine, 2);
  assert.deepEqual(pool.bodies, ['{"n":0}\n{"n":1}\n']);
  await stopBalanced(engine);
});

test('a batch is compressed once and sent again as it is', async () => {
  const pool = new ScriptedPool([{ status: 429 }, OK]);
  const { engine, clock } = startDelivery({ ...batched, gzipEnabled: true }, pool);
  await offerAll(engine, 3);
  while (pool.requests.length < 1) await settle();
  await pass(clock, 200);
  const [first, second] = pool.requests;
  assert.equal(gunzipSync(first!.body as Buffer).toString(), '{"n":0}\n{"n":1}\n{"n":2}\n');
  assert.equal(first!.body, second!.body, 'the same bytes');
  assert.deepEqual(first!.headers.slice(-2), ['Content-Encoding', 'gzip']);
  await stopBalanced(engine);
});

test('configured headers go before ours', async () => {
  const pool = new ScriptedPool([OK]);
  const { engine } = startDelivery(
    {
      headerList: [
        { name: 'content-type', value: 'text/x' },
        { name: 'user-agent', value: 'me' },
      ],
    },
    pool,
  );
  await offerAll(engine, 1);
  assert.deepEqual(pool.requests[0]!.headers, ['content-type', 'text/x', 'user-agent', 'me']);
  await stopBalanced(engine);
});

test('a passing failure is tried again after the backoff, without holding a place meanwhile', async () => {
  const pool = new ScriptedPool([{ failure: 'connect-refused', isRequestSent: false }, OK]);
  const { engine, clock, problems } = startDelivery({}, pool);
  await offerAll(engine, 1);
  await settle();
  assert.equal(engine.state().awaitingRetry, 1);
  assert.equal(engine.state().sending, 0);
  assert.ok(engine.state().bufferBytes > 0, 'what waits is still charged');
  await pass(clock, 199);
  assert.equal(pool.requests.length, 1);
  await pass(clock, 1);
  assert.equal(pool.requests.length, 2);
  const counts = engine.counters();
  assert.equal(counts.delivered, 1);
  assert.deepEqual(counts.retries, { 'connect-refused': 1 });
  assert.deepEqual(counts.attempts, { 'connect-refused': 1, ok: 1 });
  assert.deepEqual(
    problems.map(({ kind, reason }) => [kind, reason]),
    [['connection', 'connect-refused']],
  );
  await stopBalanced(engine);
});

test('a defect on the way out costs its own batch, by name, and nothing else', async () => {
  const pool = new ScriptedPool((_request, index) => {
    if (index === 0) throw new TypeError('a defect');
    return { status: 200 };
  });
  const { engine } = startDelivery({}, pool);
  await offerAll(engine, 1);
  await settle();
  await offerAll(engine, 1);
  await settle();
  assert.deepEqual(engine.counters().dropped, { 'internal-error': 1 });
  assert.equal(engine.counters().delivered, 1);
  await stopBalanced(engine);
});

test('retries end after their count, and the event is dropped by its reason', async () => {
  const pool = new ScriptedPool([{ status: 429, headers: ['Retry-After', '60'] }]);
  const { engine, clock } = startDelivery({ maxRetryCount: 2 }, pool);
  await offerAll(engine, 1);
  await settle();
  await pass(clock, 4_999);
  assert.equal(pool.requests.length, 1, 'Retry-After is honoured up to its cap of 5 s');
  await pass(clock, 1);
  assert.equal(pool.requests.length, 2);
  await pass(clock, 5_000);
  assert.equal(pool.requests.length, 3);
  assert.deepEqual(engine.counters().dropped, { 'status-429': 1 });
  await stopBalanced(engine);
});

for (const { name, ending, settings, requests } of [
  {
    name: 'a POST that may have been processed',
    ending: { failure: 'response-timeout', isRequestSent: true },
    settings: {},
    requests: 1,
  },
  {
    name: 'the same where repeating is allowed',
    ending: { failure: 'response-timeout', isRequestSent: true },
    settings: { retryNonIdempotent: true },
    requests: 2,
  },
  {
    name: 'the same with PUT',
    ending: { failure: 'response-timeout', isRequestSent: true },
    settings: { httpMethod: 'PUT' },
    requests: 2,
  },
  {
    name: 'a POST of which nothing was sent',
    ending: { failure: 'connect-timeout', isRequestSent: false },
    settings: {},
    requests: 2,
  },
  { name: 'a POST that the server has not processed', ending: { status: 429 }, settings: {}, requests: 2 },
  { name: 'PATCH with 503', ending: { status: 503 }, settings: { httpMethod: 'PATCH' }, requests: 1 },
  { name: 'no retries', ending: { status: 429 }, settings: { maxRetryCount: 0 }, requests: 1 },
] as const) {
  test(`${name}: ${requests} attempts`, async () => {
    const pool = new ScriptedPool([ending as Ending]);
    const { engine, clock } = startDelivery(settings as TestSettings, pool);
    await offerAll(engine, 1);
    await pass(clock, 1000);
    assert.equal(pool.requests.length, requests);
    await stopBalanced(engine);
  });
}

test('413 halves a batch until it fits; an event that never fits is dropped', async () => {
  const pool = new ScriptedPool(({ body }) => ({ status: String(body).length > 30 ? 413 : 200 }));
  const { engine } = startDelivery({ ...batched, batchMaxEvents: 8 }, pool);
  const texts = [...'abcdefg'].map((letter) => JSON.stringify({ letter }));
  for (const record of [...texts, JSON.stringify({ long: 'x'.repeat(50) })]) await engine.offer({ record });
  await settle();
  const counts = engine.counters();
  assert.equal(counts.delivered, 7);
  assert.deepEqual(counts.dropped, { 'status-413': 1 });
  const delivered = pool.bodies.filter((body) => body.length <= 30).join('');
  assert.deepEqual(delivered.split('\n').filter(Boolean).sort(), texts);
  await stopBalanced(engine);
});

test('400 without a number: the bad events are found by halving, the others arrive once', async () => {
  const pool = new ScriptedPool(({ body }) => ({ status: /"n":(3|77)\b/.test(String(body)) ? 400 : 200 }));
  const { engine } = startDelivery({ ...batched, batchMaxEvents: 100, batchMaxBytes: 10_000 }, pool);
  await offerAll(engine, 100);
  await settle();
  const counts = engine.counters();
  assert.equal(counts.delivered, 98);
  assert.deepEqual(counts.dropped, { 'status-400': 2 });
  assert.ok(counts.splits > 5 && counts.splits < 20, `${counts.splits} splits`);
  await stopBalanced(engine);
});

test('a target that refuses everything is not asked for each single event', async () => {
  const pool = new ScriptedPool([{ status: 400 }]);
  const { engine } = startDelivery({ ...batched, batchMaxEvents: 1000, batchMaxBytes: 100_000 }, pool);
  await offerAll(engine, 1000);
  await settle();
  assert.deepEqual(engine.counters().dropped, { 'status-400': 1000 });
  assert.ok(pool.requests.length <= 130, `${pool.requests.length} requests`);
  await stopBalanced(engine);
});

test('a full buffer holds an awaiting producer for the whole throttle, then drops', async () => {
  const pool = new ScriptedPool(['hangs']);
  const { engine, clock } = startDelivery(
    { ...batched, batchMaxEvents: 1, batchBufferMemoryBytes: 2 * (24 + 8), producerThrottleMs: 2000 },
    pool,
  );
  await offerAll(engine, 2);
  let outcome: OfferOutcome | undefined;
  const offered = engine.offer({ record: { n: 3 } }).then((known) => {
    outcome = known;
  });
  await pass(clock, 1999);
  assert.equal(outcome, undefined);
  assert.equal(engine.state().waitingProducers, 1);
  await pass(clock, 1);
  await offered;
  assert.deepEqual(outcome, { kind: 'dropped', reason: 'buffer-full' });
  assert.equal(pool.endHanging({ status: 200 }), 2);
  await settle();
  assert.equal(engine.counters().delivered, 2);
  await stopBalanced(engine);
});

test('the hot path is held for 50 ms at most', async () => {
  const pool = new ScriptedPool(['hangs']);
  const { engine, clock } = startDelivery(
    { ...batched, batchMaxEvents: 1, batchBufferMemoryBytes: 2 * (24 + 8), producerThrottleMs: 2000 },
    pool,
  );
  for (let n = 0; n < 3; n++) engine.tryOffer({ record: { n } });
  await pass(clock, 49);
  assert.deepEqual(engine.counters().dropped, {});
  await pass(clock, 1);
  assert.deepEqual(engine.counters().dropped, { 'buffer-full': 1 });
  await stopBalanced(engine, 0, clock);
});

test('a waiting producer gets in as soon as there is room', async () => {
  const pool = new ScriptedPool(['hangs']);
  const { engine } = startDelivery(
    { ...batched, batchMaxEvents: 1, batchBufferMemoryBytes: 2 * (24 + 8) },
    pool,
  );
  await offerAll(engine, 2);
  const offered = engine.offer({ record: { n: 3 } });
  pool.script = () => OK;
  pool.endHanging({ status: 200 });
  assert.deepEqual(await offered, { kind: 'accepted' });
  await settle();
  assert.equal(engine.counters().delivered, 3);
  await stopBalanced(engine);
});

test('the hot path joins a short line only, and leaves it to producers who wait', async () => {
  const { engine, clock } = startDelivery(
    { ...batched, batchMaxEvents: 1, batchBufferMemoryBytes: 1000 * (24 + 8), producerThrottleMs: 2000 },
    new ScriptedPool(['hangs']),
  );
  await offerAll(engine, 9);
  while (engine.state().waitingProducers < 100) engine.tryOffer({ record: { n: 1 } });
  assert.deepEqual(engine.counters().dropped, {});
  for (let n = 0; n < 5; n++) engine.tryOffer({ record: { n } });
  assert.deepEqual(engine.counters().dropped, { 'buffer-full': 5 });
  const offered = engine.offer({ record: { n: 1 } });
  assert.equal(engine.state().waitingProducers, 101);
  await pass(clock, 2000);
  assert.deepEqual(await offered, { kind: 'dropped', reason: 'buffer-full' });
  assert.deepEqual(engine.counters().dropped, { 'buffer-full': 106 });
  await stopBalanced(engine, 0, clock);
});

test('a full line refuses at once, each event by its own reason, and hands its places to a successor', async () => {
  const settings: TestSettings = { producerThrottleMs: 2000, batchBufferMemoryBytes: 1000 * 2100 };
  const counters = new DeliveryCounters();
  const { engine, clock } = startDelivery(settings, new ScriptedPool(['hangs']), { counters });
  const inside: Promise<OfferOutcome>[] = [];
  while (engine.state().waitingProducers < 1000) inside.push(engine.offer({ record: {} }));
  const accepted = engine.counters().accepted;

  const sink = new MemorySink();
  const full = { kind: 'dropped', reason: 'buffer-full' };
  assert.deepEqual(await engine.offer({ record: {} }), full);
  assert.deepEqual(await engine.offer({ record: {} }, { unsent: sink }), {
    kind: 'unsent',
    reason: 'buffer-full',
  });
  assert.deepEqual(await engine.offer({ record: { big: 1n } }, { unsent: sink }), {
    kind: 'dropped',
    reason: 'not-encodable',
  });
  assert.equal(sink.events.length, 1);
  assert.equal(engine.counters().accepted, accepted + 3);
  assertBalanced(engine.counters());

  const pool = new ScriptedPool([OK]);
  const successor = startDelivery(settings, pool, { counters, clock, monotonicMs: () => clock.now() });
  engine.succeedBy(successor.engine);
  const stopped = engine.stop(0);
  assert.deepEqual(await engine.offer({ record: {} }), { kind: 'accepted' }, 'sent on, not refused');
  await pass(clock, 1);
  await stopped;
  const outcomes = await Promise.all(inside);
  assert.ok(outcomes.every(({ kind }) => kind === 'accepted'));
  await stopBalanced(successor.engine);
  assert.equal(pool.requests.length, 1001, 'those who waited, and the one who came to the old engine');
  assert.deepEqual(counters.counts().dropped, {
    'buffer-full': 1,
    'not-encodable': 1,
    shutdown: accepted - 1000,
  });
});

test('an event larger than the whole buffer is refused at once, not passed on', async () => {
  const sink = new MemorySink();
  const pool = new ScriptedPool([OK]);
  const { engine } = startDelivery({ ...batched, batchBufferMemoryBytes: 16 }, pool);
  const outcome = await engine.offer({ record: { text: 'x'.repeat(20) } }, { unsent: sink });
  assert.deepEqual(outcome, { kind: 'dropped', reason: 'larger-than-buffer' });
  assert.equal(sink.events.length, 0);
  await stopBalanced(engine);
});

test('a record without JSON text is counted, not thrown', async () => {
  const { engine } = startDelivery({}, new ScriptedPool([OK]));
  assert.deepEqual(await engine.offer({ record: { big: 1n } }), { kind: 'dropped', reason: 'not-encodable' });
  await stopBalanced(engine);
});

test('an event above 200 KB is sent, counted, and told once', async () => {
  const pool = new ScriptedPool([OK]);
  const { engine, problems } = startDelivery({}, pool);
  const record = { text: 'x'.repeat(200 * 1024) };
  await engine.offer({ record });
  await engine.offer({ record });
  await stopBalanced(engine);
  assert.equal(engine.counters().oversized, 2);
  assert.equal(engine.counters().delivered, 2);
  assert.deepEqual(
    problems.map(({ reason }) => reason),
    ['event-oversized'],
  );
});

for (const [name, settings, reason] of [
  ['a disabled connection', { isEnabled: false }, 'disabled'],
  ['a method without a body', { httpMethod: 'GET' }, 'method-without-body'],
  ['an unresolved placeholder', { fullUrl: `http://target.test/\${missing}` }, 'unresolved-placeholder'],
  [
    'a host that is none',
    { fullUrl: `http://\${h}/`, material: { variables: { h: 'a@b' } } },
    'invalid-address',
  ],
] as const) {
  test(`${name} refuses events with its own reason, without any contact`, async () => {
    const pool = new ScriptedPool([OK]);
    const { engine, clock } = startDelivery(settings as TestSettings, pool);
    assert.deepEqual(await engine.offer({ record: {} }), { kind: 'dropped', reason });
    engine.tryOffer({ record: {} });
    assert.equal(engine.takeOver({ record: {} }, undefined), false);
    await pass(clock, 60_000);
    assert.equal(pool.requests.length, 0);
    assert.deepEqual(engine.counters().dropped, { [reason]: 2 });
    await stopBalanced(engine);
  });
}

test('records that choose the address are batched by address', async () => {
  const pool = new ScriptedPool([OK]);
  const { engine } = startDelivery(
    { ...batched, fullUrl: `http://\${region}.test/\${tenant}`, material: { variables: { region: 'eu' } } },
    pool,
  );
  for (const [n, tenant] of ['a', 'b', 'a', 'b', 'a/b'].entries())
    await engine.offer({ record: { n }, context: { tenant } });
  await stopBalanced(engine);
  assert.deepEqual(
    pool.requests.map(({ target }, index) => [target, pool.bodies[index]]),
    [
      ['/a', '{"n":0}\n{"n":2}\n'],
      ['/b', '{"n":1}\n{"n":3}\n'],
      ['/a%2Fb', '{"n":4}\n'],
    ],
  );
});

test('more addresses than are kept open at once lose nothing', async () => {
  const pool = new ScriptedPool([OK]);
  const { engine } = startDelivery({ ...batched, fullUrl: `http://target.test/\${tenant}` }, pool);
  for (let n = 0; n < 1500; n++) await engine.offer({ record: { n }, context: { tenant: `t${n % 700}` } });
  await stopBalanced(engine);
  assert.equal(engine.counters().delivered, 1500);
});

test('at most as many batches are sent at once as a host may have connections', async () => {
  const pool = new ScriptedPool(['hangs']);
  const { engine, clock } = startDelivery({ connectionPoolMaxConnectionPerHost: 2 }, pool);
  await offerAll(engine, 5);
  assert.equal(pool.requests.length, 2);
  assert.equal(engine.state().ready, 3);
  await stopBalanced(engine, 0, clock);
});

test('what cannot be delivered goes to the failover, bare and with its time, once', async () => {
  const main = new ScriptedPool([{ status: 404 }]);
  const other = new ScriptedPool([OK]);
  const failover = startDelivery({ eventCollectorEnabled: true, eventCollectorIndex: 'main' }, other);
  const { engine } = startDelivery({ ...batched, eventCollectorEnabled: true }, main, {
    fallback: { failover: failover.engine },
  });
  for (let n = 0; n < 3; n++) await engine.offer({ record: { n }, timeMs: 1000 * n });
  await settle();
  assert.equal(engine.counters().failedOver, 3);
  assert.deepEqual(
    other.bodies,
    [0, 1, 2].map((n) => `{"time":${n}.000,"index":"main","event":{"n":${n}}}`),
  );
  assert.equal(failover.engine.counters().delivered, 3);
  await stopBalanced(engine);
  await stopBalanced(failover.engine);
});

test('failover goes one step: two connections that name each other end in drops', async () => {
  const broken = () => new ScriptedPool([{ status: 404 }]);
  const [poolA, poolB] = [broken(), broken()];
  const fallbackOfB: { failover?: DeliveryEngine } = {};
  const b = startDelivery({}, poolB, { fallback: fallbackOfB });
  const a = startDelivery({}, poolA, { fallback: { failover: b.engine } });
  fallbackOfB.failover = a.engine;
  await a.engine.offer({ record: {} });
  await settle();
  assert.equal(a.engine.counters().failedOver, 1);
  assert.deepEqual(b.engine.counters().dropped, { 'status-404': 1 });
  assert.equal(poolA.requests.length, 1);
  assert.equal(poolB.requests.length, 1);
  await stopBalanced(a.engine);
  await stopBalanced(b.engine);
});

test('a failover that is full, off or stopped takes nothing: the event is dropped here', async () => {
  const failover = startDelivery({ isEnabled: false }, new ScriptedPool([OK]));
  const { engine } = startDelivery({}, new ScriptedPool([{ status: 404 }]), {
    fallback: { failover: failover.engine },
  });
  await engine.offer({ record: {} });
  await settle();
  assert.deepEqual(engine.counters().dropped, { 'status-404': 1 });
  assert.equal(failover.engine.counters().accepted, 0);
  await stopBalanced(engine);
  await stopBalanced(failover.engine);
});

test('unsent events are kept as they were, in one write, also those the failover could not deliver', async () => {
  const sink = new MemorySink();
  const failover = startDelivery(batched, new ScriptedPool([{ status: 404 }]));
  const { engine } = startDelivery(batched, new ScriptedPool([{ status: 401 }]));
  await offerAll(engine, 3, { unsent: sink });
  await settle();
  assert.deepEqual(
    sink.events.map(({ content, reason }) => [content, reason]),
    [0, 1, 2].map((n) => [`{"n":${n}}`, 'status-401']),
  );
  assert.equal(engine.counters().unsent, 3);
  await offerAll(engine, 3, { failover: failover.engine, unsent: sink });
  await settle();
  assert.equal(engine.counters().failedOver, 3);
  assert.equal(failover.engine.counters().unsent, 3);
  assert.equal(sink.events.length, 6);
  await stopBalanced(engine);
  await stopBalanced(failover.engine);
});

test('a store that takes nothing is told, and its events are dropped', async () => {
  const unsent: UnsentSink = { keep: () => Promise.reject(new Error('no space')) };
  const { engine, problems } = startDelivery({}, new ScriptedPool([{ status: 404 }]), {
    fallback: { unsent },
  });
  await offerAll(engine, 2);
  await settle();
  assert.deepEqual(engine.counters().dropped, { 'unsent-not-kept': 2 });
  assert.ok(problems.some(({ reason, kind }) => reason === 'unsent-not-kept' && kind === 'configuration'));
  await stopBalanced(engine);
});

test('events with different fallbacks never share a batch', async () => {
  const [one, other] = [new MemorySink(), new MemorySink()];
  const { engine } = startDelivery(batched, new ScriptedPool([{ status: 404 }]));
  const fallbacks = [{ unsent: one }, { unsent: other }];
  for (let n = 0; n < 6; n++) await engine.offer({ record: { n } }, fallbacks[n % 2]!);
  await settle();
  assert.deepEqual(
    one.events.map(({ content }) => content),
    ['{"n":0}', '{"n":2}', '{"n":4}'],
  );
  assert.deepEqual(
    other.events.map(({ content }) => content),
    ['{"n":1}', '{"n":3}', '{"n":5}'],
  );
  await stopBalanced(engine);
});

const breaking: TestSettings = {
  circuitBreakerEnabled: true,
  errorThresholdValue: 2,
  sleepWindow: 30,
  maxRetryCount: 0,
};

test('an open circuit is not contacted; after the sleep window one event is, and closes it', async () => {
  const pool = new ScriptedPool([{ status: 500 }, { status: 500 }, OK]);
  const { engine, clock } = startDelivery(breaking, pool);
  for (let n = 0; n < 5; n++) {
    await engine.offer({ record: { n } });
    await settle();
  }
  assert.equal(pool.requests.length, 2);
  assert.equal(engine.state().circuit, 'open');
  assert.deepEqual(engine.counters().dropped, { 'status-500': 2, 'circuit-open': 3 });
  await pass(clock, 30_000);
  await offerAll(engine, 3);
  await settle();
  assert.equal(pool.requests.length, 3, 'exactly one probe');
  assert.equal(engine.state().circuit, 'closed');
  assert.equal(engine.counters().dropped['circuit-open'], 5);
  await offerAll(engine, 1);
  await stopBalanced(engine);
  assert.equal(engine.counters().delivered, 2);
});

test('an open circuit ends the retries that are left', async () => {
  const pool = new ScriptedPool([{ status: 429 }]);
  const { engine, clock } = startDelivery({ ...breaking, maxRetryCount: 10 }, pool);
  await offerAll(engine, 1);
  await pass(clock, 20_000, 50);
  assert.equal(pool.requests.length, 2);
  assert.deepEqual(engine.counters().dropped, { 'circuit-open': 1 });
  await stopBalanced(engine);
});

test('refused payloads do not open the circuit', async () => {
  const { engine } = startDelivery(
    breaking,
    new ScriptedPool([{ status: 400 }, { status: 413 }, { status: 422 }]),
  );
  await offerAll(engine, 20);
  await settle();
  assert.equal(engine.state().circuit, 'closed');
  await stopBalanced(engine);
});

test('a probe cut off by the stop does not leave the circuit half-open', async () => {
  const pool = new ScriptedPool((_, index) => (index < 2 ? { status: 500 } : 'hangs'));
  const { engine, clock } = startDelivery(breaking, pool);
  await offerAll(engine, 2);
  await pass(clock, 30_000);
  await offerAll(engine, 1);
  assert.equal(engine.state().circuit, 'half-open');
  await stopBalanced(engine, 0, clock);
  assert.equal(engine.state().circuit, 'open');
});

test('stopping sends what is inside, takes in nothing more, and says so', async () => {
  const pool = new ScriptedPool([OK]);
  const { engine } = startDelivery(batched, pool);
  await offerAll(engine, 5);
  const stopped = engine.stop(1000);
  assert.deepEqual(await engine.offer({ record: {} }), { kind: 'dropped', reason: 'shutdown' });
  await stopped;
  assert.equal(engine.counters().delivered, 5);
  assert.deepEqual(engine.counters().dropped, { shutdown: 1 });
  await stopBalanced(engine);
});

test('stopping interrupts the wait for a retry and for room, and hands the rest over at the deadline', async () => {
  const sink = new MemorySink();
  const endings: Ending[] = [{ status: 429 }, 'hangs', 'hangs'];
  const pool = new ScriptedPool(endings);
  const { engine, clock } = startDelivery(
    {
      connectionPoolMaxConnectionPerHost: 2,
      batchBufferMemoryBytes: 4 * (512 + 7),
      producerThrottleMs: 2000,
    },
    pool,
    { fallback: { unsent: sink } },
  );
  await offerAll(engine, 4);
  await settle();
  const waiting = engine.offer({ record: { n: 9 } });
  const { awaitingRetry, sending, ready } = engine.state();
  assert.deepEqual({ awaitingRetry, sending, ready }, { awaitingRetry: 1, sending: 2, ready: 1 });
  const stopped = engine.stop(5000);
  assert.deepEqual(await waiting, { kind: 'unsent', reason: 'shutdown' });
  await settle();
  assert.equal(sink.events.length, 2, 'what waited for a retry did not wait any longer');
  await pass(clock, 4999);
  assert.equal(sink.events.length, 2);
  await pass(clock, 1);
  await stopped;
  assert.equal(engine.counters().unsent, 5);
  assert.ok(sink.events.every(({ reason }) => reason === 'shutdown'));
  await stopBalanced(engine);
});

test('a store that hangs does not keep the engine from stopping', async () => {
  const unsent: UnsentSink = { keep: () => new Promise(() => {}) };
  const { engine, clock } = startDelivery({}, new ScriptedPool([{ status: 404 }]), { fallback: { unsent } });
  await offerAll(engine, 2);
  await settle();
  await stopBalanced(engine, 100, clock);
  assert.deepEqual(engine.counters().dropped, { 'unsent-not-kept': 2 });
});

test('a target that never ends its answer is cut off', async () => {
  const pool = new ScriptedPool(['hangs', OK]);
  const { engine, clock } = startDelivery({ retryNonIdempotent: true }, pool);
  await offerAll(engine, 1);
  await pass(clock, 120_000, 1000);
  assert.deepEqual(engine.counters().attempts, { 'idle-timeout': 1, ok: 1 });
  await stopBalanced(engine, 0, clock);
});

test('counters outlive the engine', async () => {
  const counters = new DeliveryCounters();
  for (let revision = 0; revision < 2; revision++) {
    const { engine } = startDelivery({}, new ScriptedPool([OK]), { counters });
    await offerAll(engine, 2);
    await stopBalanced(engine);
  }
  assert.equal(counters.counts().delivered, 4);
});

test('https without a trust store and a total below one host are told once', async () => {
  const { engine, problems } = startDelivery(
    {
      fullUrl: 'https://target.test/',
      connectionPoolMaxConnectionPerHost: 30,
      connectionPoolMaxConnectionTotal: 10,
    },
    new ScriptedPool([OK]),
  );
  await offerAll(engine, 2);
  await settle();
  assert.deepEqual(
    problems.map(({ reason, level }) => [reason, level]),
    [
      ['tls-not-verified', 'WARN'],
      ['pool-total-raised', 'WARN'],
    ],
  );
  assert.equal(engine.state().isTlsUnverified, true);
  await stopBalanced(engine);
});

test('the same problem is told once a minute, with the number of those between', async () => {
  const { engine, clock, problems } = startDelivery({}, new ScriptedPool([{ status: 401 }]));
  await offerAll(engine, 5);
  await pass(clock, 60_000);
  await offerAll(engine, 1);
  await settle();
  const told = problems.filter(({ kind }) => kind === 'authentication');
  assert.deepEqual(
    told.map(({ reason, count }) => [reason, count]),
    [
      ['status-401', 1],
      ['status-401', 5],
    ],
  );
  assertBalanced(engine.counters());
  await stopBalanced(engine);
});

test('no report holds a record, a header value or the address', async () => {
  const secret = 'do-not-tell';
  const { engine, problems } = startDelivery(
    {
      fullUrl: `http://target.test/?token=${secret}`,
      headerList: [{ name: 'Authorization', value: secret }],
    },
    new ScriptedPool([
      { status: 403, body: secret },
      { failure: 'response-timeout', isRequestSent: true },
    ]),
  );
  for (let n = 0; n < 3; n++) await engine.offer({ record: { secret } });
  await settle();
  assert.ok(problems.length >= 3);
  assert.doesNotMatch(JSON.stringify(problems), new RegExp(secret));
  await stopBalanced(engine);
});
