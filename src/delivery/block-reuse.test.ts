import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { ClientAnswer } from '../http1/client/client-answer.ts';
import type { SendOptions } from '../http1/client/client-options.ts';
import type { ClientRequest } from '../http1/client/client-request.ts';
import { ManualClock } from '../kernel/testing/manual-clock.ts';
import type { EnginePool } from './delivery-engine.ts';
import type { UnsentEvent, UnsentSink } from './delivery-event.ts';
import { FaultyTarget } from './testing/faulty-target.ts';
import { answerOf, type Ending, failureOf } from './testing/scripted-pool.ts';
import {
  settle,
  startDelivery,
  startRealDelivery,
  stopBalanced,
  type TestSettings,
  until,
} from './testing/test-delivery.ts';

// Memory of bodies is used again. Nobody may find the events of one batch in the body of another, whatever became of
// the batch that had the memory before.

const EVENTS_A_BATCH = 8;

/** Batches of them fill a block of 4096 bytes far enough to become the body themselves. */
function recordOf(n: number): { readonly n: number; readonly text: string } {
  return { n, text: String.fromCharCode(97 + (n % 26)).repeat(440) };
}

/** The same endings in the same order for the same seed. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface RunningCall {
  readonly request: ClientRequest;
  readonly bytesWhenSent: Buffer;
  readonly end: (ending: Exclude<Ending, 'hangs'>) => void;
}

/** A pool whose calls last: when one ends, its body must still be what it was when it began. */
class WatchfulPool implements EnginePool {
  readonly delivered = new Set<number>();
  readonly memories = new Set<ArrayBufferLike>();
  batchCount = 0;
  readonly #running = new Set<RunningCall>();
  readonly #random: () => number;
  readonly #unacknowledged = new Set<number>();
  #nextAckId = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  send(request: ClientRequest, options?: SendOptions): Promise<ClientAnswer> {
    return new Promise((resolve, reject) => {
      const body = request.body as Buffer;
      const call: RunningCall = {
        request,
        bytesWhenSent: Buffer.from(body),
        end: (ending) => {
          if (!this.#running.delete(call)) return;
          assert.ok(body.equals(call.bytesWhenSent), 'the body changed while it was being sent');
          if ('status' in ending) resolve(answerOf(ending));
          else reject(failureOf(ending.failure, ending.isRequestSent));
        },
      };
      this.#running.add(call);
      if (!isPoll(request)) {
        this.batchCount++;
        this.memories.add(body.buffer);
      }
      const abort = () => call.end({ failure: 'aborted', isRequestSent: true });
      if (options?.signal?.aborted) abort();
      else options?.signal?.addEventListener('abort', abort);
    });
  }

  /** Ends about half of what runs, each in a way of its own. */
  endSome(): void {
    for (const call of [...this.#running]) if (this.#random() < 0.5) call.end(this.#endingOf(call.request));
  }

  usage() {
    const busy = this.#running.size;
    return { total: busy, busy, idle: 0, connecting: 0, waiting: 0, maxPerHost: 24, maxTotal: 48 };
  }

  async close(): Promise<void> {}

  #endingOf(request: ClientRequest): Exclude<Ending, 'hangs'> {
    if (isPoll(request)) return this.#acknowledge();
    const lot = this.#random();
    if (lot < 0.15) return { status: 429 };
    if (lot < 0.25) return { status: 413 };
    if (lot < 0.35) return { status: 400, body: `{"code":6,"invalid-event-number":${lot < 0.3 ? 0 : 2}}` };
    if (lot < 0.4) return { status: 404 };
    if (lot < 0.45) return { failure: 'connect-refused', isRequestSent: false };
    if (lot < 0.5) return { failure: 'response-timeout', isRequestSent: true };
    for (const { n, text } of recordsOf(request)) {
      assert.equal(text, recordOf(n).text, `event ${n} holds the bytes of another`);
      this.delivered.add(n);
    }
    const ackId = this.#nextAckId++;
    this.#unacknowledged.add(ackId);
    return { status: 200, body: `{"code":0,"ackId":${ackId}}` };
  }

  /** Some at once, some late, and some never, so that their batches are sent again. */
  #acknowledge(): Exclude<Ending, 'hangs'> {
    const acks = [...this.#unacknowledged].filter(() => this.#random() < 0.1);
    for (const ackId of acks) this.#unacknowledged.delete(ackId);
    return { status: 200, body: JSON.stringify({ acks: Object.fromEntries(acks.map((id) => [id, true])) }) };
  }
}

function isPoll({ target }: ClientRequest): boolean {
  return target.includes('/ack');
}

function recordsOf({ body, headers }: ClientRequest): ReturnType<typeof recordOf>[] {
  const plain = headers.includes('gzip') ? gunzipSync(body as Buffer) : (body as Buffer);
  return plain
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .map((value) => value.event ?? value);
}

/** A store that takes its time. */
class SlowSink implements UnsentSink {
  readonly events: UnsentEvent[] = [];
  #onKept: (() => void)[] = [];

  keep(events: readonly UnsentEvent[]): Promise<void> {
    return new Promise((resolve) => {
      this.#onKept.push(() => {
        this.events.push(...events);
        resolve();
      });
    });
  }

  keepAll(): void {
    for (const kept of this.#onKept.splice(0)) kept();
  }
}

const collecting: TestSettings = { eventCollectorEnabled: true, useAck: true, ackTimeoutSeconds: 3 };

for (const [name, settings] of [
  ['plain', {}],
  ['compressed', { gzipEnabled: true }],
  ['with acknowledgements that come late or never', { ...collecting, maxAckResend: 3 }],
] as const)
  for (const seed of [1, 2, 3])
    test(`${name}: no body changes while it is sent, and no event takes on the bytes of another (${seed})`, async () => {
      const random = chance(seed);
      const [pool, overflow, sink] = [new WatchfulPool(random), new WatchfulPool(random), new SlowSink()];
      const batch: TestSettings = {
        batchEnabled: true,
        batchMaxEvents: EVENTS_A_BATCH,
        maxRetryCount: 2,
        batchBufferMemoryBytes: 400_000,
        connectionPoolMaxConnectionPerHost: 12,
      };
      const clock = new ManualClock();
      const time = { clock, monotonicMs: () => clock.now() };
      const failover = startDelivery({ ...batch, batchBufferMemoryBytes: 8000 }, overflow, time);
      const { engine } = startDelivery({ ...batch, ...settings }, pool, {
        ...time,
        random,
        fallback: { failover: failover.engine, unsent: sink },
      });
      let offered = 0;
      for (let step = 0; step < 150; step++) {
        for (let burst = Math.floor(random() * 30); burst > 0; burst--)
          engine.tryOffer({ record: recordOf(offered++) });
        await settle();
        pool.endSome();
        overflow.endSome();
        if (step % 5 === 0) sink.keepAll();
        clock.advance(200);
      }
      // What is in the middle of something when the end comes is looked at like everything else.
      const keeping = setInterval(() => sink.keepAll(), 1);
      await stopBalanced(engine, 0, clock);
      await stopBalanced(failover.engine, 0, clock);
      clearInterval(keeping);

      for (const { content } of sink.events)
        assert.equal(content, JSON.stringify(recordOf(JSON.parse(content).n)));
      const found = new Set([
        ...pool.delivered,
        ...overflow.delivered,
        ...sink.events.map(({ content }) => JSON.parse(content).n as number),
      ]);
      const counts = [engine.counters(), failover.engine.counters()];
      const dropped = counts.flatMap((each) => Object.values(each.dropped)).reduce((sum, n) => sum + n, 0);
      assert.equal(engine.counters().accepted, offered);
      assert.ok(found.size >= offered - dropped, `${found.size} of ${offered} found, ${dropped} dropped`);
      // Compressed bodies have memory of their own; those they are made from are seen by what is in them.
      if (!('gzipEnabled' in settings))
        assert.ok(pool.memories.size < pool.batchCount / 2, 'memory is used again');
    });

test('a target that answers before it has read never gets bytes of a later batch', async () => {
  const MEGABYTE = 1_048_576;
  const received: Buffer[][] = [];
  await using target = await FaultyTarget.start([], {
    onConnection(socket) {
      const pieces: Buffer[] = [];
      received.push(pieces);
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
        socket.pause();
        // Long enough for the next batch to be written into memory, and to be sent.
        setTimeout(() => socket.resume(), 200);
      });
      socket.on('data', (piece: Buffer) => pieces.push(piece));
    },
  });
  const { engine } = startRealDelivery({
    fullUrl: target.url,
    batchEnabled: true,
    batchMaxEvents: 6,
    batchMaxBytes: 64 * MEGABYTE,
    batchBufferMemoryBytes: 64 * MEGABYTE,
    connectionPoolMaxConnectionPerHost: 1,
  });
  for (let n = 0; n < 18; n++)
    await engine.offer({
      record: { text: String.fromCharCode(97 + Math.floor(n / 6)).repeat(MEGABYTE - 12) },
    });
  await until('three batches', () => engine.counters().delivered === 18);
  await stopBalanced(engine);
  await until('all sockets closed', () => target.openSocketCount === 0);
  assert.equal(received.length, 3, 'a connection whose request was not sent whole is not used again');
  for (const [index, pieces] of received.entries()) {
    const body = Buffer.concat(pieces).toString('latin1').split('\r\n\r\n')[1]!;
    const letters = new Set(body.replaceAll('{"text":"', '').replaceAll(/["{}\n]|text|:/g, ''));
    assert.deepEqual([...letters], [String.fromCharCode(97 + index)]);
  }
});
