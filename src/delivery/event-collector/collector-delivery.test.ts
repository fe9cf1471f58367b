import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../kernel/testing/manual-clock.ts';
import type { DeliveryEngine } from '../delivery-engine.ts';
import { FakeCollector, type FakeCollectorOptions } from '../testing/fake-collector.ts';
import {
  MemorySink,
  settle,
  startRealDelivery,
  stopBalanced,
  type TestSettings,
} from '../testing/test-delivery.ts';

const token = [{ name: 'Authorization', value: 'Splunk secret' }];

interface Running extends AsyncDisposable {
  readonly collector: FakeCollector;
  readonly engine: DeliveryEngine;
  readonly clock: ManualClock;
  readonly sink: MemorySink;
  /** Moves the time on in steps until something is so. */
  until(what: string, isSo: () => boolean): Promise<void>;
}

/** A real connection to the fake collector, on a clock that the test moves. */
async function start(settings: TestSettings, options: FakeCollectorOptions): Promise<Running> {
  const collector = await FakeCollector.start({ token: 'secret', ...options });
  const clock = new ManualClock();
  const sink = new MemorySink();
  const { engine } = startRealDelivery(
    {
      fullUrl: collector.url,
      headerList: token,
      eventCollectorEnabled: true,
      useAck: options.usesAck ?? false,
      ...settings,
    },
    { clock, monotonicMs: () => clock.now(), random: () => 1, fallback: { unsent: sink } },
  );
  return {
    collector,
    engine,
    clock,
    sink,
    async until(what, isSo) {
      for (let step = 0; !isSo(); step++) {
        if (step > 2000) throw new Error(`it never came: ${what}; ${JSON.stringify(engine.counters())}`);
        // What is on the wire takes real time, in which the test's must stand still.
        while (engine.state().pool.busy + engine.state().pool.connecting > 0) await wire();
        clock.advance(100);
        await settle();
      }
    },
    async [Symbol.asyncDispose]() {
      await stopBalanced(engine, 0, clock);
      await collector[Symbol.asyncDispose]();
    },
  };
}

function wire(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1));
}

async function offer(engine: DeliveryEngine, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await engine.offer({ record: { n }, timeMs: 1_767_225_600_000 + n });
}

const batched: TestSettings = { batchEnabled: true, batchMaxEvents: 3 };

test('records travel in the envelope, one object a line, with one channel, and count as queued', async () => {
  await using running = await start(
    { ...batched, eventCollectorIndex: 'main', eventCollectorHost: 'gw', gzipEnabled: true },
    { indexes: ['main'] },
  );
  const { engine, collector } = running;
  await offer(engine, 6);
  await running.until('six events', () => engine.counters().delivered === 6);
  assert.deepEqual(
    [...collector.events].sort((one, other) => one.time - other.time),
    [0, 1, 2, 3, 4, 5].map((n) => ({
      time: 1_767_225_600 + n / 1000,
      host: 'gw',
      index: 'main',
      event: { n },
    })),
  );
  assert.equal(engine.counters().queued, 6);
  assert.equal(collector.channels.size, 1);
  assert.deepEqual(collector.refusals, []);
  assert.equal(collector.polls.length, 0);
});

test('batch off: one envelope a call', async () => {
  await using running = await start({}, {});
  await offer(running.engine, 2);
  await running.until('two events', () => running.engine.counters().delivered === 2);
  assert.equal(running.collector.batches.length, 2);
});

test('with acknowledgements a batch is delivered when it is acknowledged, one poll for all', async () => {
  await using running = await start(batched, { usesAck: true, acknowledges: (_, times) => times >= 2 });
  const { engine, collector } = running;
  await offer(engine, 9);
  await running.until('three batches', () => engine.state().awaitingAck === 3);
  assert.equal(engine.counters().delivered, 0);
  assert.ok(engine.state().bufferBytes > 0);
  await running.until('acknowledged', () => engine.counters().delivered === 9);
  assert.equal(engine.counters().queued, 0);
  assert.deepEqual(
    collector.polls.map(({ ackIds }) => ackIds),
    [
      [0, 1, 2],
      [0, 1, 2],
    ],
  );
  assert.equal(collector.batches.length, 3);
});

test('polls begin after a second and slow down to five', async () => {
  await using running = await start({ ackTimeoutSeconds: 60 }, { usesAck: true, acknowledges: () => false });
  const { engine, collector, clock } = running;
  await offer(engine, 1);
  await running.until('taken', () => engine.state().awaitingAck === 1);
  const startedAtMs = clock.now();
  const times: number[] = [];
  for (let polls = 1; polls <= 7; polls++) {
    await running.until('a poll', () => collector.polls.length === polls);
    times.push(clock.now() - startedAtMs);
  }
  const gaps = times.map((ms, index) => ms - (times[index - 1] ?? 0));
  for (const [index, expected] of [1000, 1500, 2250, 3375, 5000, 5000, 5000].entries())
    assert.ok(Math.abs(gaps[index]! - expected) <= 200, `${gaps}`);
});

test('a batch without acknowledgement is sent again; the id of the first sending still counts', async () => {
  // Only the first id is ever acknowledged, and late.
  await using running = await start(
    { ackTimeoutSeconds: 10 },
    { usesAck: true, acknowledges: (id, times) => id === 0 && times >= 5 },
  );
  const { engine, collector } = running;
  await offer(engine, 1);
  await running.until('acknowledged', () => engine.counters().delivered === 1);
  assert.equal(engine.counters().ackResends, 1);
  assert.equal(collector.batches.length, 2);
  assert.ok(collector.polls.at(-1)!.ackIds.includes(0));
});

test('never acknowledged: sent again as often as allowed, then to the fallback', async () => {
  await using running = await start(
    { ackTimeoutSeconds: 5, maxAckResend: 2 },
    { usesAck: true, acknowledges: () => false },
  );
  const { engine, collector, sink } = running;
  await offer(engine, 1);
  await running.until('given up', () => engine.counters().unsent === 1);
  assert.equal(collector.batches.length, 3);
  assert.equal(engine.counters().ackResends, 2);
  assert.deepEqual(
    sink.events.map(({ content, reason }) => [content, reason]),
    [['{"n":0}', 'ack-timeout']],
  );
  assert.equal(engine.state().awaitingAck, 0);
});

test('a lost answer to a poll costs a resend, no event', async () => {
  let isFirst = true;
  await using running = await start(
    { ackTimeoutSeconds: 5 },
    {
      usesAck: true,
      acknowledges: (id) => id > 0,
      interferes: (_, isPoll) => {
        if (!isPoll || !isFirst) return undefined;
        isFirst = false;
        return { status: 503, code: 9 };
      },
    },
  );
  const { engine, collector } = running;
  await offer(engine, 1);
  await running.until('delivered', () => engine.counters().delivered === 1);
  assert.equal(collector.batches.length, 2);
});

test('behind a load balancer the ids of each indexer are asked for with its own cookie', async () => {
  let next = 0;
  await using running = await start(batched, { usesAck: true, cookies: () => `lb=${next++ % 2}` });
  const { engine, collector } = running;
  await offer(engine, 12);
  await running.until('acknowledged', () => engine.counters().delivered === 12);
  const polls = collector.polls.map(({ ackIds, cookie }) => `${cookie} ${ackIds}`).sort();
  assert.deepEqual(polls, ['lb=0 0,1', 'lb=1 0,1']);
});

test('a configured cookie stays beside that of the load balancer', async () => {
  await using running = await start(
    { headerList: [...token, { name: 'Cookie', value: 'mine=1' }] },
    { usesAck: true, cookies: () => 'lb=7' },
  );
  await offer(running.engine, 1);
  await running.until('a poll', () => running.collector.polls.length > 0);
  assert.equal(running.collector.polls[0]!.cookie, 'mine=1; lb=7');
});

test('a collector that was restarted reuses ids: the older batch is sent again, none is lost', async () => {
  let isAcknowledging = false;
  await using running = await start(
    { ackTimeoutSeconds: 5 },
    { usesAck: true, acknowledges: () => isAcknowledging },
  );
  const { engine, collector } = running;
  await offer(engine, 1);
  await running.until('taken', () => engine.state().awaitingAck === 1);
  collector.forgetAcks();
  await engine.offer({ record: { n: 'newer' }, timeMs: 1_767_225_600_000 });
  await running.until('both taken', () => engine.state().awaitingAck === 2);
  isAcknowledging = true;
  await running.until('both delivered', () => engine.counters().delivered === 2);
  assert.equal(engine.counters().ackResends, 1);
  assert.equal(collector.batches.length, 3);
});

test('a 200 without an id counts as queued, and that is told', async () => {
  await using running = await start(
    { useAck: true },
    { usesAck: true, interferes: (_, isPoll) => (isPoll ? undefined : { status: 200, code: 0 }) },
  );
  await offer(running.engine, 2);
  await running.until('queued', () => running.engine.counters().queued === 2);
  assert.equal(running.engine.counters().ackMissing, 2);
});

test('a collector that refuses polls is not sent the same for ever: a 200 counts as queued', async () => {
  await using running = await start(
    { useAck: true },
    {
      usesAck: true,
      interferes: (_, isPoll) => (isPoll ? { status: 400, code: 14 } : undefined),
    },
  );
  const { engine, collector } = running;
  await offer(engine, 2);
  await running.until('queued', () => engine.counters().queued === 2);
  await offer(engine, 1);
  await running.until('queued without a poll', () => engine.counters().queued === 3);
  assert.equal(collector.requests.filter(({ target }) => target.endsWith('/ack')).length, 1);
  assert.equal(collector.batches.length, 3);
});

test('an invalid event number takes out exactly that event', async () => {
  await using running = await start({ ...batched, batchMaxEvents: 5 }, {});
  const { engine, collector, sink } = running;
  // A blank event is refused by every collector.
  for (const record of [{ n: 0 }, { n: 1 }, '""', { n: 3 }, { n: 4 }])
    await engine.offer({ record, timeMs: 1_767_225_600_000 });
  await running.until('four delivered', () => engine.counters().delivered === 4);
  assert.deepEqual(collector.events.map(({ event }) => (event as { n: number }).n).sort(), [0, 1, 3, 4]);
  assert.equal(engine.counters().unsent, 1);
  assert.deepEqual(
    sink.events.map(({ content, reason }) => [content, reason]),
    [['""', 'invalid-event']],
  );
});

for (const { name, settings, options, reason } of [
  {
    name: 'a wrong token',
    settings: { headerList: [{ name: 'Authorization', value: 'Splunk wrong' }] },
    options: {},
    reason: 'status-403',
  },
  { name: 'no token', settings: { headerList: [] }, options: {}, reason: 'status-401' },
  {
    name: 'an unknown index',
    settings: { eventCollectorIndex: 'x' },
    options: { indexes: ['main'] },
    reason: 'status-400',
  },
]) {
  test(`${name} is final for the whole batch, in one call`, async () => {
    await using running = await start({ ...batched, ...settings }, options);
    const { engine, collector, sink } = running;
    await offer(engine, 3);
    await running.until('given up', () => engine.counters().unsent === 3);
    assert.ok(sink.events.every((event) => event.reason === reason));
    assert.equal(collector.requests.length, 1);
  });
}

test('a busy collector is asked again although POST must not be repeated', async () => {
  let calls = 0;
  await using running = await start(
    {},
    { interferes: () => (calls++ === 0 ? { status: 503, code: 9 } : undefined) },
  );
  await offer(running.engine, 1);
  await running.until('delivered', () => running.engine.counters().delivered === 1);
  assert.deepEqual(running.engine.counters().retries, { 'status-503': 1 });
});

test('stopping waits for acknowledgements until the deadline, then hands the batch over', async () => {
  const running = await start({}, { usesAck: true, acknowledges: () => false });
  const { engine, clock, collector, sink } = running;
  await offer(engine, 1);
  await running.until('taken', () => engine.state().awaitingAck === 1);
  let isStopped = false;
  const stopped = engine.stop(3000).then(() => {
    isStopped = true;
  });
  const startedAtMs = clock.now();
  await running.until('stopped', () => isStopped);
  await stopped;
  assert.ok(clock.now() - startedAtMs >= 3000);
  assert.ok(collector.polls.length >= 1);
  assert.deepEqual(
    sink.events.map(({ reason }) => reason),
    ['shutdown'],
  );
  await running[Symbol.asyncDispose]();
});

test('the name of the channel header is a setting, and a configured one of that name gives way', async () => {
  await using running = await start(
    { headerList: [...token, { name: 'x-splunk-request-channel', value: 'mine' }] },
    { usesAck: true },
  );
  await offer(running.engine, 1);
  await running.until('delivered', () => running.engine.counters().delivered === 1);
  assert.deepEqual(running.collector.refusals, []);
});
