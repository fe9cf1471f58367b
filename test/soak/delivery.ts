import { setTimeout as sleep } from 'node:timers/promises';
import { DeliveryCounters, type DeliveryCounts } from '../../src/delivery/counters.ts';
import { DeliveryEngine } from '../../src/delivery/delivery-engine.ts';
import type { Fallback, UnsentEvent, UnsentSink } from '../../src/delivery/delivery-event.ts';
import { openDeliveryPool } from '../../src/delivery/delivery-pool.ts';
import { FakeCollector } from '../../src/delivery/testing/fake-collector.ts';
import { type TestSettings, testSettings } from '../../src/delivery/testing/test-delivery.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { Random } from '../fuzz/random.ts';
import { openSocketCount } from '../support/process-usage.ts';
import type { SoakOptions } from './main.ts';
import { MemoryWatch } from './memory-watch.ts';
import { StormyTarget } from './stormy-target.ts';

/** Far more than any run makes; one bit for each event that a target has seen. */
const MAX_EVENTS = 20_000_000;
/** A revision takes the place of the one before so often. */
const REVISION_MS = 15_000;
const MAX_MEMORY_GROWTH_BYTES = 24 * 1_048_576;

const short = { acquireMs: 500, connectMs: 300, writeMs: 500, responseMs: 300, idleMs: 300 };
const common: TestSettings = {
  timeouts: short,
  retryBackoffMs: 20,
  maxRetryCount: 2,
  maxRetryAfterSeconds: 1,
  batchBufferMemoryBytes: 512 * 1024,
  producerThrottleMs: 100,
  circuitBreakerEnabled: true,
  errorThresholdValue: 5,
  sleepWindow: 1,
};

/** A connection with the engine of its current revision. */
interface Line {
  readonly name: string;
  readonly settings: TestSettings;
  readonly fallback: Fallback;
  readonly counters: DeliveryCounters;
  engine: DeliveryEngine;
}

/**
 * Three connections with a shared failover under random faults, revisions replaced while events pour in. At the end
 * the books balance, nothing counts as delivered that its target has not seen, and neither sockets nor memory are left.
 */
export async function soakDelivery({ seconds, seed }: SoakOptions): Promise<readonly string[]> {
  console.log(`soak delivery: ${seconds} s, seed ${seed}`);
  const random = new Random(seed);
  const socketsBefore = openSocketCount(process.pid);
  const sink = new UnsureSink(new Random(seed + 1));
  const [plainTarget, loneTarget, failoverTarget] = await Promise.all(
    [11, 12, 13].map((offset) => StormyTarget.start(new Random(seed + offset), MAX_EVENTS)),
  );
  const collector = await startCollector(new Random(seed + 14));
  const failover = openLine('failover', { ...common, fullUrl: failoverTarget!.url, batchEnabled: true }, {});
  const fallback = (): Fallback => ({
    failover: { takeOver: (...given) => failover.engine.takeOver(...given) },
    unsent: sink,
  });
  const lines = [
    openLine(
      'plain',
      { ...common, fullUrl: plainTarget!.url, batchEnabled: true, batchMaxDelayMs: 20, gzipEnabled: true },
      fallback(),
    ),
    openLine('lone', { ...common, fullUrl: loneTarget!.url, retryNonIdempotent: true }, fallback()),
    openLine(
      'collector',
      {
        ...common,
        fullUrl: collector.url,
        batchEnabled: true,
        batchMaxEvents: 20,
        eventCollectorEnabled: true,
        useAck: true,
        ackTimeoutSeconds: 3,
        maxAckResend: 1,
      },
      { unsent: sink },
    ),
  ];
  const memory = new MemoryWatch();
  const endsAtMs = performance.now() + seconds * 1000;
  let nextRevisionAtMs = performance.now() + REVISION_MS;
  const stopping: Promise<void>[] = [];
  let eventId = 0;
  while (performance.now() < endsAtMs && eventId < MAX_EVENTS - 1000) {
    for (let event = 0; event < 40; event++) offer(random.pick(lines), eventId++, random);
    await sleep(random.below(20));
    memory.look();
    if (performance.now() < nextRevisionAtMs) continue;
    nextRevisionAtMs += REVISION_MS;
    const line = random.pick([...lines, failover]);
    const old = line.engine;
    line.engine = startEngine(line);
    stopping.push(old.stop(random.below(3000)));
  }
  await Promise.all(lines.map(({ engine }) => engine.stop(5000)));
  await failover.engine.stop(5000);
  await Promise.all(stopping);
  await Promise.all(
    [plainTarget!, loneTarget!, failoverTarget!, collector].map((one) => one[Symbol.asyncDispose]()),
  );
  await sleep(200);

  const findings = [...lines, failover].flatMap(({ name, counters }) => {
    console.log(`${name}: ${JSON.stringify(counters.counts())}`);
    return bookFindings(name, counters.counts());
  });
  const seen: ReadonlyArray<readonly [Line, number]> = [
    [lines[0]!, plainTarget!.distinctEvents],
    [lines[1]!, loneTarget!.distinctEvents],
    [failover, failoverTarget!.distinctEvents],
  ];
  for (const [{ name, counters }, distinct] of seen) {
    if (distinct < counters.delivered)
      findings.push(`${name}: ${counters.delivered} counted as delivered, the target has seen ${distinct}`);
  }
  const unsent = [...lines, failover].reduce((sum, { counters }) => sum + counters.unsent, 0);
  if (sink.kept < unsent) findings.push(`${unsent} counted as unsent, ${sink.kept} were kept`);
  const sockets = openSocketCount(process.pid);
  if (sockets > socketsBefore) findings.push(`${sockets - socketsBefore} sockets were left open`);
  const grownBytes = memory.grownBytes();
  console.log(`memory after collection grew by ${(grownBytes / 1_048_576).toFixed(1)} MB over the run`);
  if (grownBytes > MAX_MEMORY_GROWTH_BYTES) findings.push(`memory grew by ${grownBytes} bytes`);
  return findings;
}

function offer({ engine, fallback }: Line, id: number, random: Random): void {
  const size = random.oneIn(5000) ? 600_000 : random.oneIn(500) ? 250_000 : random.below(1500);
  const record = { id, text: 'x'.repeat(size) };
  if (random.oneIn(2)) engine.tryOffer({ record }, fallback);
  else void engine.offer({ record }, fallback);
}

function openLine(name: string, settings: TestSettings, fallback: Fallback): Line {
  const parts = { name, settings, fallback, counters: new DeliveryCounters() };
  return { ...parts, engine: startEngine(parts) };
}

function startEngine({ settings, counters }: Omit<Line, 'engine'>): DeliveryEngine {
  const known = testSettings(settings);
  return new DeliveryEngine({
    settings: known,
    pool: openDeliveryPool(known.pool),
    log: silentLog,
    counters,
  });
}

function bookFindings(name: string, counts: DeliveryCounts): string[] {
  const { accepted, delivered, failedOver, unsent, dropped, pending } = counts;
  const allDropped = Object.values(dropped).reduce((sum, count) => sum + count, 0);
  const findings: string[] = [];
  if (accepted !== delivered + failedOver + unsent + allDropped)
    findings.push(`${name}: the books do not balance: ${JSON.stringify(counts)}`);
  if (pending !== 0) findings.push(`${name}: ${pending} events have not come to their end`);
  if (accepted === 0 || delivered === 0)
    findings.push(`${name}: nothing was delivered, so nothing was shown`);
  return findings;
}

/** A collector that loses and delays acknowledgements, is busy at times, and refuses some events. */
function startCollector(random: Random): Promise<FakeCollector> {
  return FakeCollector.start({
    usesAck: true,
    keepsNothing: true,
    acknowledges: (_, timesAsked) => timesAsked > random.below(6),
    interferes: (_, isPoll) => {
      if (random.oneIn(40)) return { status: 503, code: 9 };
      if (isPoll && random.oneIn(20)) return 'hangs';
      if (!isPoll && random.oneIn(60))
        return { status: 400, code: 6, members: { 'invalid-event-number': random.below(20) } };
      return undefined;
    },
  });
}

/** A store that is slow, and fails now and then. */
class UnsureSink implements UnsentSink {
  kept = 0;
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  async keep(events: readonly UnsentEvent[]): Promise<void> {
    await sleep(this.#random.below(30));
    if (this.#random.oneIn(20)) throw new Error('the store is away');
    this.kept += events.length;
  }
}
