import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { closedPort } from '../http1/client/testing/closed-port.ts';
import { makeObjectsYoung } from '../kernel/young-objects.ts';
import type { DeliveryEngine } from './delivery-engine.ts';
import { startRealDelivery, stopBalanced, until } from './testing/test-delivery.ts';

const MEGABYTE = 1_048_576;
const BUFFER_BYTES = 8 * MEGABYTE;
/** So many that ten bytes kept of each would show. */
const EVENTS = 200_000;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
// As every process of ours does, before anything is made.
makeObjectsYoung();

/** What is really held: garbage is gone. */
function held(): { readonly objectBytes: number; readonly allBytes: number } {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return { objectBytes: heapUsed, allBytes: heapUsed + external };
}

/** As the hot path of the gateway: nobody waits for room, however much is refused. */
async function pour(engine: DeliveryEngine, events: number): Promise<void> {
  for (let n = 0; n < events; n++) {
    engine.tryOffer({ record: { n, text: 'x'.repeat(1000) } });
    if (n % 100 === 0) await turn();
  }
}

test('an outage at full load holds on to the buffer, and to nothing of what was dropped', async () => {
  const { engine } = startRealDelivery({
    fullUrl: `http://127.0.0.1:${await closedPort()}/`,
    batchEnabled: true,
    batchBufferMemoryBytes: BUFFER_BYTES,
    producerThrottleMs: 2000,
  });
  const allDropped = () => until('the end of all events', () => engine.counters().pending === 0);
  await pour(engine, EVENTS / 2);
  await allDropped();
  const before = held();
  await pour(engine, EVENTS);
  const meanwhileBytes = held().allBytes - before.allBytes;
  await allDropped();
  // Blocks that lie ready are no objects, and how many there are is a matter of chance.
  const afterwardsBytes = held().objectBytes - before.objectBytes;

  assert.equal(engine.counters().accepted, EVENTS * 1.5);
  assert.equal(engine.counters().delivered, 0);
  // A quarter of the buffer may stand in line for it, and as much lies ready for bodies as the buffer holds.
  assert.ok(meanwhileBytes < 2.5 * BUFFER_BYTES, `${meanwhileBytes} bytes more during the outage`);
  assert.ok(afterwardsBytes < 2 * MEGABYTE, `${afterwardsBytes} bytes of objects more after it`);
  await stopBalanced(engine);
});
