import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientTimeouts } from '../../http1/client/client-options.ts';
import type { Log } from '../../kernel/log.ts';
import { silentLog } from '../../kernel/log.ts';
import { ManualClock } from '../../kernel/testing/manual-clock.ts';
import { completeParameters, effectiveParameters, type ParameterSet } from '../../model/connection.ts';
import { defaultSettings } from '../../model/settings-category.ts';
import type { DeliveryCounts } from '../counters.ts';
import { DeliveryEngine, type DeliveryEngineOptions, type EnginePool } from '../delivery-engine.ts';
import type { UnsentEvent, UnsentSink } from '../delivery-event.ts';
import { openDeliveryPool } from '../delivery-pool.ts';
import type { DeliveryProblem } from '../delivery-problem.ts';
import { type ConnectionMaterial, type DeliverySettings, deliverySettings } from '../delivery-settings.ts';
import type { FaultyTarget } from './faulty-target.ts';

export interface TestSettings extends Partial<ParameterSet> {
  readonly isEnabled?: boolean;
  readonly material?: Partial<ConnectionMaterial>;
  readonly podName?: string;
  /** Shorter than parameters can say. */
  readonly timeouts?: Partial<ClientTimeouts>;
}

/** The settings of a connection with defaults for everything a test does not name. */
export function testSettings(given: TestSettings = {}): DeliverySettings {
  const { isEnabled = true, material, podName = 'worker-1', timeouts, ...parameters } = given;
  const set = completeParameters({ httpMethod: 'POST', fullUrl: 'http://target.test/logs', ...parameters });
  const settings = deliverySettings({
    place: { connectionId: 'c1', connectionName: 'Logs', environmentName: 'Development', podName },
    isEnabled,
    parameters: effectiveParameters(set, defaultSettings('connector-circuit-breaker')),
    material: { variables: {}, ...material },
  });
  return { ...settings, pool: { ...settings.pool, timeouts: { ...settings.pool.timeouts, ...timeouts } } };
}

/** An engine under test with what it told. */
export interface TestDelivery {
  readonly engine: DeliveryEngine;
  readonly clock: ManualClock;
  readonly problems: DeliveryProblem[];
}

/** On a clock that stands still; waits drawn by chance are the longest possible. */
export function startDelivery(
  settings: TestSettings,
  pool: EnginePool,
  options: Partial<DeliveryEngineOptions> = {},
): TestDelivery {
  const clock = new ManualClock();
  const problems: DeliveryProblem[] = [];
  const engine = new DeliveryEngine({
    settings: testSettings(settings),
    pool,
    log: silentLog as Log,
    report: (problem) => problems.push(problem),
    clock,
    monotonicMs: () => clock.now(),
    random: () => 1,
    ...options,
  });
  return { engine, clock, problems };
}

/** On the real clock, over real sockets. */
export function startRealDelivery(
  settings: TestSettings,
  options: Partial<DeliveryEngineOptions> = {},
): { engine: DeliveryEngine; problems: DeliveryProblem[] } {
  const problems: DeliveryProblem[] = [];
  const known = testSettings(settings);
  const engine = new DeliveryEngine({
    settings: known,
    pool: openDeliveryPool(known.pool),
    log: silentLog as Log,
    report: (problem) => problems.push(problem),
    ...options,
  });
  return { engine, problems };
}

/** Lets everything go on that waits for nothing but its turn. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Moves the time on in steps, so that whoever sets a timer anew is woken in time. */
export async function pass(clock: ManualClock, ms: number, stepMs = ms): Promise<void> {
  await settle();
  for (let passed = 0; passed < ms; passed += stepMs) {
    clock.advance(Math.min(stepMs, ms - passed));
    await settle();
  }
}

/** What every test of delivery must find at its end: each event in exactly one counter. */
export function assertBalanced(counts: DeliveryCounts): void {
  const dropped = Object.values(counts.dropped).reduce((sum, count) => sum + count, 0);
  assert.equal(
    counts.accepted,
    counts.delivered + counts.failedOver + counts.unsent + dropped + counts.pending,
    `the books do not balance: ${JSON.stringify(counts)}`,
  );
}

/** Stops the engine and checks that nothing is left anywhere. */
export async function stopBalanced(
  engine: DeliveryEngine,
  deadlineMs = 0,
  clock?: ManualClock,
): Promise<void> {
  let isStopped = false;
  const stopped = engine.stop(deadlineMs).then(() => {
    isStopped = true;
  });
  await settle();
  for (let step = 0; clock && !isStopped && step < 100; step++) await pass(clock, Math.max(1000, deadlineMs));
  await stopped;
  const counts = engine.counters();
  assertBalanced(counts);
  assert.equal(counts.pending, 0, 'an event has not come to its end');
  assert.equal(engine.state().bufferBytes, 0, 'bytes were not given back');
}

/** For what real sockets do; it takes as long as the machine is busy. */
export async function until(what: string, isSo: () => boolean): Promise<void> {
  const giveUpAtMs = performance.now() + 20_000;
  while (!isSo()) {
    if (performance.now() > giveUpAtMs) throw new Error(`it never came: ${what}`);
    await sleep(5);
  }
}

/** Nothing of the engine stays behind, on either side. */
export async function assertGone(engine: DeliveryEngine, target: FaultyTarget): Promise<void> {
  await stopBalanced(engine);
  assert.equal(engine.state().pool.total, 0);
  target.readOn();
  await until('all sockets closed', () => target.openSocketCount === 0);
}

/** Keeps unsent events in memory. */
export class MemorySink implements UnsentSink {
  readonly events: UnsentEvent[] = [];

  async keep(events: readonly UnsentEvent[]): Promise<void> {
    this.events.push(...events);
  }
}
