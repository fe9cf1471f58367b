/**
 * Posts 1 KB events in batches from a process of its own, through the delivery engine or in a bare loop with undici, and
 * says how fast. `node bench/load/delivery-load.ts '{"sender":"engine",…}'`: it warms up, writes `warm`, waits for a line
 * on standard input, measures, and writes its figures as JSON.
 */
import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Pool } from 'undici';
import { DeliveryEngine } from '../../src/delivery/delivery-engine.ts';
import { openDeliveryPool } from '../../src/delivery/delivery-pool.ts';
import { deliverySettings } from '../../src/delivery/delivery-settings.ts';
import { GZIP_LEVEL } from '../../src/delivery/gzip.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { makeObjectsYoung } from '../../src/kernel/young-objects.ts';
import { completeParameters, effectiveParameters } from '../../src/model/connection.ts';
import { defaultSettings } from '../../src/model/settings-category.ts';

export interface LoadOptions {
  readonly sender: 'engine' | 'bare';
  readonly port: number;
  readonly batchEvents: number;
  readonly isGzipped: boolean;
  readonly connections: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
  readonly bufferBytes: number;
  /** Goes on at full load when nothing is taken any more, as the gateway does. */
  readonly isRelentless: boolean;
}

export interface LoadFigures {
  readonly eventsPerSecond: number;
  readonly cpuMicrosPerEvent: number;
  /** Above what it was after warming up, at its highest. */
  readonly residentGrowthBytes: number;
  readonly loopDelayP99Ms: number;
  /** From the start, with warming up, to the end. */
  readonly offered: number;
  readonly delivered: number;
  /** Every event in exactly one counter. */
  readonly isBalanced: boolean;
}

interface Sender {
  /** Events that came to their end so far. */
  ended(): number;
  /** Sends what is inside and stops. */
  stop(): Promise<Pick<LoadFigures, 'offered' | 'delivered' | 'isBalanced'>>;
}

const records = Array.from({ length: 1000 }, (_, n) => recordOf(n));

/** About 1 KB as JSON text, shaped as a traffic record; gzip makes it five to six times smaller. */
function recordOf(n: number): object {
  return {
    '@timestamp': new Date(1_767_225_600_000 + n).toISOString(),
    aci: `0b5f3b62-7a1e-4b7e-9f3a-${String(n).padStart(12, '0')}`,
    ei: 'development',
    pi: 'default',
    apn: `proxy-${n % 17}`,
    hr1hm: 'POST',
    hr1pi: `/orders/${n}/items?expand=all`,
    sc: n % 50 === 0 ? 502 : 200,
    rt: 'SUCCESS',
    tapt: n % 313,
    fcrh: Array.from({ length: 6 }, (_, h) => ({ k: `X-Header-${h}`, v: `value ${n * h}` })),
    tcb: someText(n, 560),
  };
}

/** Words in no order, the same in every run. */
function someText(seed: number, length: number): string {
  const words =
    'order invoice customer parcel approved declined retry gateway route policy target session'.split(' ');
  let text = '';
  for (let state = seed + 1; text.length < length; state = (state * 48_271) % 2_147_483_647)
    text += `${words[state % words.length]} ${state % 97} `;
  return text.slice(0, length);
}

function startEngine(options: LoadOptions): Sender {
  const parameters = completeParameters({
    httpMethod: 'POST',
    fullUrl: `http://127.0.0.1:${options.port}/logs`,
    batchEnabled: true,
    batchMaxEvents: options.batchEvents,
    batchMaxBytes: 4 * 1_048_576,
    batchBufferMemoryBytes: options.bufferBytes,
    gzipEnabled: options.isGzipped,
    connectionPoolMaxConnectionPerHost: options.connections,
    producerThrottleMs: 2000,
  });
  const settings = deliverySettings({
    place: {
      connectionId: 'bench',
      connectionName: 'Bench',
      environmentName: 'Development',
      podName: 'bench',
    },
    isEnabled: true,
    parameters: effectiveParameters(parameters, defaultSettings('connector-circuit-breaker')),
    material: { variables: {} },
  });
  const engine = new DeliveryEngine({ settings, pool: openDeliveryPool(settings.pool), log: silentLog });
  let isRunning = true;
  const produced = options.isRelentless ? pour() : produce();
  return {
    ended: () => engine.counters().accepted - engine.counters().pending,
    async stop() {
      isRunning = false;
      await produced;
      await engine.stop(options.isRelentless ? 1000 : 10_000);
      const { accepted, delivered, dropped } = engine.counters();
      const allDropped = Object.values(dropped).reduce((sum, count) => sum + count, 0);
      return { offered: accepted, delivered, isBalanced: accepted === delivered + allDropped };
    },
  };

  /** Lets go of the event loop after the events of one batch, as the bare loop does while it waits for its call. */
  async function produce(): Promise<void> {
    for (let n = 0; isRunning; ) {
      for (let event = 0; event < options.batchEvents; event++)
        await engine.offer({ record: records[n++ % records.length]! });
      await turn();
    }
  }

  /** As the hot path of the gateway: nobody waits for room. */
  async function pour(): Promise<void> {
    for (let n = 0; isRunning; ) {
      for (let event = 0; event < options.batchEvents; event++)
        engine.tryOffer({ record: records[n++ % records.length]! });
      await turn();
    }
  }
}

function startBareLoop(options: LoadOptions): Sender {
  const pool = new Pool(`http://127.0.0.1:${options.port}`, {
    connections: options.connections,
    allowH2: false,
  });
  const compress = promisify(gzip);
  let isRunning = true;
  let ended = 0;
  let delivered = 0;
  const workers = Array.from({ length: options.connections }, work);
  return {
    ended: () => ended,
    async stop() {
      isRunning = false;
      await Promise.all(workers);
      await pool.close();
      return { offered: ended, delivered, isBalanced: true };
    },
  };

  async function work(): Promise<void> {
    const headers = {
      'content-type': 'application/x-ndjson',
      ...(options.isGzipped && { 'content-encoding': 'gzip' }),
    };
    for (let n = 0; isRunning; ) {
      let text = '';
      for (let event = 0; event < options.batchEvents; event++)
        text += `${JSON.stringify(records[n++ % records.length])}\n`;
      const body = options.isGzipped ? await compress(text, { level: GZIP_LEVEL }) : text;
      try {
        const response = await pool.request({ method: 'POST', path: '/logs', headers, body });
        await response.body.dump();
        if (response.statusCode === 200) delivered += options.batchEvents;
      } catch {
        // The target is down: the loop goes on with the next batch.
        await turn();
      }
      ended += options.batchEvents;
    }
  }
}

async function measure(options: LoadOptions): Promise<LoadFigures> {
  const sender = options.sender === 'engine' ? startEngine(options) : startBareLoop(options);
  await pass(options.warmUpSeconds);
  process.stdout.write('warm\n');
  const residentBefore = process.memoryUsage.rss();
  await once(process.stdin, 'data');
  let highestResident = residentBefore;
  const watch = setInterval(() => {
    highestResident = Math.max(highestResident, process.memoryUsage.rss());
  }, 100);
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  const [endedBefore, cpuBefore, startedAtMs] = [sender.ended(), process.cpuUsage(), performance.now()];
  await pass(options.seconds);
  const seconds = (performance.now() - startedAtMs) / 1000;
  const events = sender.ended() - endedBefore;
  const { user, system } = process.cpuUsage(cpuBefore);
  delays.disable();
  clearInterval(watch);
  return {
    eventsPerSecond: events / seconds,
    cpuMicrosPerEvent: (user + system) / events,
    residentGrowthBytes: highestResident - residentBefore,
    loopDelayP99Ms: delays.percentile(99) / 1e6,
    ...(await sender.stop()),
  };
}

function pass(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}

makeObjectsYoung();
process.stdout.write(`${JSON.stringify(await measure(JSON.parse(process.argv[2]!) as LoadOptions))}\n`);
process.exit();
