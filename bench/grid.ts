import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { createClient } from '@redis/client';
import type { Grid } from '../src/grid/contract.ts';
import { EngineGrid } from '../src/grid/engine-grid.ts';
import { MemoryEngine } from '../src/grid/memory/memory-engine.ts';
import { RedisEngine } from '../src/grid/redis/redis-engine.ts';
import { incrementScript } from '../src/grid/redis/scripts.ts';
import { silentLog } from '../src/kernel/log.ts';
import { findRedisServer, RedisServerProcess } from '../test/engines/redis/redis-server.ts';
import { isInstalled } from './load/debian-package.ts';
import { median, Report, times } from './report.ts';

const TTL_MS = 60_000;
const KEY_COUNT = 10_000;
/** Between two looks at the clock. */
const PORTION = 1000;
const TURN_MS = 20;
const WARM_UP_SECONDS = 0.5;
const MEMORY_BAR = 0.25;
const REDIS_BAR = 0.8;

/** Does a portion of the work; resolves when it is done. */
type Portion = () => Promise<void> | void;

interface Row {
  readonly name: string;
  /** How many operations a portion is. */
  readonly portion: number;
  readonly bar: number;
  readonly ours: Portion;
  readonly bare: Portion;
}

interface Sample {
  readonly perSecond: number;
  readonly cpuMicros: number;
}

/** The data grid beside what it stands on: a bare Map in process, the bare client on Redis, doing the same. */
export async function benchGrid(argv: string[]): Promise<void> {
  const { values } = parseArgs({
    args: argv,
    options: { rounds: { type: 'string', default: '7' }, seconds: { type: 'string', default: '0.6' } },
  });
  const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)];
  const report = new Report('Data grid: beside what it stands on');
  report.say(
    `${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores shared with the Redis server; ` +
      `${rounds} rounds of ${seconds} s each in turns of ${TURN_MS} ms, medians. ` +
      `The bare client is as it comes, with its own deadline for every command, as the grid has one. Read the ratios: absolute numbers mean nothing elsewhere.\n`,
  );
  report.say('| | grid per second (CPU) | bare per second (CPU) | ratio | by CPU | bar |');
  report.say('|---|---|---|---|---|---|');
  const memory = new EngineGrid(new MemoryEngine());
  await measureRows(report, [memoryRow(memory)], rounds, seconds);
  await memory.close();
  const binary = findRedisServer() ?? (isInstalled('redis-server') ? 'redis-server' : undefined);
  if (binary) await benchRedis(report, binary, rounds, seconds);
  else {
    report.say(`| Redis: increment, set, get | not measured | not measured | - | - | ${times(REDIS_BAR)} |`);
    report.say(
      '\nThe rows of Redis are missing: there is no redis-server on this machine, and none could be installed.',
    );
  }
  report.save();
}

async function benchRedis(report: Report, binary: string, rounds: number, seconds: number): Promise<void> {
  const server = await RedisServerProcess.start(binary);
  const url = `redis://127.0.0.1:${server.port}`;
  const bare = createClient({ url });
  bare.on('error', () => {});
  await bare.connect();
  await bare.sendCommand(['SCRIPT', 'LOAD', incrementScript.source]);
  const grid = new EngineGrid(await RedisEngine.open({ url, namespace: 'bench', log: silentLog }));
  try {
    const { sha1 } = incrementScript;
    const map = grid.map<string>('bench', { ttlMs: TTL_MS });
    const value = 'x'.repeat(100);
    const rows: Row[] = [];
    for (const inFlight of [1, 100]) {
      const how = inFlight === 1 ? 'one at a time' : `${inFlight} at a time`;
      const row = (what: string, ours: (key: string) => Promise<unknown>, theirs: typeof ours): Row => ({
        name: `Redis: ${what}, ${how}`,
        portion: inFlight,
        bar: REDIS_BAR,
        ours: portionOf(inFlight, ours),
        bare: portionOf(inFlight, theirs),
      });
      rows.push(
        row(
          'increment',
          (key) => map.increment(key),
          (key) => bare.sendCommand(['EVALSHA', sha1, '1', `bare:n:${key}`, '1', String(TTL_MS)]),
        ),
        row(
          'set 100 B',
          (key) => map.set(`v-${key}`, value),
          (key) => bare.sendCommand(['SET', `bare:v:${key}`, JSON.stringify(value), 'PX', String(TTL_MS)]),
        ),
        row(
          'get 100 B',
          (key) => map.get(`v-${key}`),
          async (key) => JSON.parse(String(await bare.sendCommand(['GET', `bare:v:${key}`]))),
        ),
      );
    }
    await measureRows(report, rows, rounds, seconds);
  } finally {
    await grid.close();
    bare.destroy();
    await server.stop();
  }
}

function memoryRow(grid: Grid): Row {
  const map = grid.map<number>('bench', { ttlMs: TTL_MS });
  const counters = new Map<string, { count: number; expiresAtMs: number }>();
  const keys = Array.from({ length: KEY_COUNT }, (_, index) => keyOf(index));
  let [nextOurs, nextBare] = [0, 0];
  return {
    name: 'in process: increment, awaited one by one, beside a Map of counters with expiry',
    portion: PORTION,
    bar: MEMORY_BAR,
    ours: async () => {
      for (let index = 0; index < PORTION; index++) await map.increment(keys[nextOurs++ % KEY_COUNT]!);
    },
    bare: () => {
      for (let index = 0; index < PORTION; index++) countBare(counters, keys[nextBare++ % KEY_COUNT]!);
    },
  };
}

function countBare(counters: Map<string, { count: number; expiresAtMs: number }>, key: string): number {
  const now = Date.now();
  const counter = counters.get(key);
  if (counter && counter.expiresAtMs > now) return ++counter.count;
  counters.set(key, { count: 1, expiresAtMs: now + TTL_MS });
  return 1;
}

/** Keeps so many calls under way. */
function portionOf(inFlight: number, call: (key: string) => Promise<unknown>): Portion {
  let next = 0;
  return async () => {
    const calls: Promise<unknown>[] = [];
    for (let index = 0; index < inFlight; index++) calls.push(call(keyOf(next++ % KEY_COUNT)));
    await Promise.all(calls);
  };
}

function keyOf(index: number): string {
  return `client-${index}`;
}

async function measureRows(
  report: Report,
  rows: readonly Row[],
  rounds: number,
  seconds: number,
): Promise<void> {
  for (const row of rows) {
    const ratios: number[] = [];
    const samples = { ours: [] as Sample[], bare: [] as Sample[] };
    for (let round = 0; round <= rounds; round++) {
      const [ours, bare] = await measureRound(row, round === 0 ? WARM_UP_SECONDS : seconds);
      if (round === 0) continue;
      samples.ours.push(ours);
      samples.bare.push(bare);
      ratios.push(ours.perSecond / bare.perSecond);
    }
    const [ours, bare] = [medianOf(samples.ours), medianOf(samples.bare)];
    const rate = median(ratios);
    const cpu = bare.cpuMicros / ours.cpuMicros;
    report.say(
      `| ${row.name} | ${shown(ours)} | ${shown(bare)} | ${times(rate)} | ${times(cpu)} | ${times(row.bar)} |`,
    );
    if (rate < row.bar) process.exitCode = 1;
  }
}

/**
 * Both take short turns, so that whatever else the machine does touches them alike; the rate is that of the median
 * portion, which a turn that somebody else took away does not move.
 */
async function measureRound(row: Row, seconds: number): Promise<[ours: Sample, bare: Sample]> {
  const totals = [row.ours, row.bare].map((act) => ({
    act,
    portionsMs: [] as number[],
    ms: 0,
    cpuMicros: 0,
  }));
  while (totals[1]!.ms < seconds * 1000) {
    for (const total of totals) {
      const cpuBefore = process.cpuUsage();
      const endsAtMs = performance.now() + TURN_MS;
      for (let now = performance.now(); now < endsAtMs; ) {
        await total.act();
        const began = now;
        now = performance.now();
        total.portionsMs.push(now - began);
        total.ms += now - began;
      }
      const { user, system } = process.cpuUsage(cpuBefore);
      total.cpuMicros += user + system;
    }
  }
  const [ours, bare] = totals.map(({ portionsMs, cpuMicros }) => ({
    perSecond: (row.portion * 1000) / median(portionsMs),
    cpuMicros: cpuMicros / (row.portion * portionsMs.length),
  }));
  return [ours!, bare!];
}

function medianOf(samples: readonly Sample[]): Sample {
  return {
    perSecond: median(samples.map(({ perSecond }) => perSecond)),
    cpuMicros: median(samples.map(({ cpuMicros }) => cpuMicros)),
  };
}

function shown({ perSecond, cpuMicros }: Sample): string {
  return `${Math.round(perSecond)} (${cpuMicros.toFixed(2)} µs)`;
}
