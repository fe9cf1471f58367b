import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { UnsentEvent, UnsentSink } from './delivery-event.ts';
import { settle } from './testing/test-delivery.ts';
import { UnsentWriter } from './unsent-writer.ts';

/** A store whose writes end when the test says so. */
class SlowSink implements UnsentSink {
  readonly writes: { readonly size: number; readonly end: (error?: Error) => void }[] = [];

  keep(events: readonly UnsentEvent[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (error?: Error) => (error ? reject(error) : resolve());
      this.writes.push({ size: events.length, end });
    });
  }
}

function start(maxWaitingBytes = 1000) {
  const sink = new SlowSink();
  const stop = new AbortController();
  let failures = 0;
  const writer = new UnsentWriter({ sink, maxWaitingBytes, signal: stop.signal, onFailed: () => failures++ });
  return { sink, writer, stop, failures: () => failures };
}

function events(count: number, length = 1): UnsentEvent[] {
  return Array.from({ length: count }, () => ({ content: 'x'.repeat(length), timeMs: 0, reason: 'test' }));
}

test('one write at a time; what comes meanwhile goes together in the next', async () => {
  const { sink, writer } = start();
  const kept = [writer.write(events(1)), writer.write(events(2)), writer.write(events(3))];
  assert.deepEqual(
    sink.writes.map(({ size }) => size),
    [1],
  );
  sink.writes[0]!.end();
  await settle();
  assert.deepEqual(
    sink.writes.map(({ size }) => size),
    [1, 5],
  );
  sink.writes[1]!.end();
  assert.deepEqual(await Promise.all(kept), [true, true, true]);
});

test('a write has at most a thousand events, unless one order has more', async () => {
  const { sink, writer } = start(100_000);
  for (const count of [1, 600, 600, 5000]) void writer.write(events(count));
  for (let write = 0; write < 4; write++) {
    sink.writes[write]!.end();
    await settle();
  }
  assert.deepEqual(
    sink.writes.map(({ size }) => size),
    [1, 600, 600, 5000],
  );
});

test('a slow store cannot pile up more than the bound', async () => {
  const { sink, writer } = start(100);
  const first = writer.write(events(1, 60));
  const second = writer.write(events(1, 60));
  assert.equal(await second, false);
  const third = writer.write(events(1, 40));
  sink.writes[0]!.end();
  await settle();
  sink.writes[1]!.end();
  assert.deepEqual(await Promise.all([first, third]), [true, true]);
});

test('one order larger than the bound is taken when nothing waits', async () => {
  const { sink, writer } = start(100);
  const kept = writer.write(events(1, 500));
  sink.writes[0]!.end();
  assert.equal(await kept, true);
});

test('a failure concerns its own write only', async () => {
  const { sink, writer, failures } = start();
  const [first, second] = [writer.write(events(1)), writer.write(events(1))];
  sink.writes[0]!.end(new Error('away'));
  assert.equal(await first, false);
  sink.writes[1]!.end();
  assert.equal(await second, true);
  assert.equal(failures(), 1);
});

test('when nobody waits any longer, everything that is not kept is told so', async () => {
  const { writer, stop } = start();
  const kept = [writer.write(events(1)), writer.write(events(1))];
  stop.abort();
  assert.deepEqual(await Promise.all(kept), [false, false]);
  assert.equal(await writer.write(events(1)), false);
});
