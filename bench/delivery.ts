import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism, cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { GZIP_LEVEL } from '../src/delivery/gzip.ts';
import type { LoadFigures, LoadOptions } from './load/delivery-load.ts';
import { median, Report, times } from './report.ts';
import { ServerProcess } from './server-process.ts';

const here = dirname(fileURLToPath(import.meta.url));
const PORT = 18_141;
const CONNECTIONS = 24;
const BUFFER_BYTES = 32 * 1_048_576;
const MEGABYTE = 1_048_576;

const rows: ReadonlyArray<Pick<LoadOptions, 'batchEvents' | 'isGzipped'>> = [
  { batchEvents: 100, isGzipped: false },
  { batchEvents: 100, isGzipped: true },
  { batchEvents: 1000, isGzipped: false },
  { batchEvents: 1000, isGzipped: true },
];

type Say = Report['say'];

/** Events per second through the delivery engine beside a bare loop with undici, and both while the target is down. */
export async function benchDelivery(argv: string[]): Promise<void> {
  const { values } = parseArgs({
    args: argv,
    options: {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '3' },
      outage: { type: 'string', default: '60' },
    },
  });
  const [rounds, seconds, outageSeconds] = [
    Number(values.rounds),
    Number(values.seconds),
    Number(values.outage),
  ];
  const report = new Report('Log delivery: the engine beside a bare loop with undici');
  const { say } = report;
  say(
    `${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores shared with the receiver; events of 1 KB, ` +
      `${CONNECTIONS} connections, gzip level ${GZIP_LEVEL}; ${rounds} interleaved rounds of ${seconds} s, medians. ` +
      'Every round is checked: the receiver counted as many lines as events were offered. Read the ratios.\n',
  );
  await reportThroughput(rounds, seconds, say);
  await reportOutages(outageSeconds, say);
  report.save();
}

async function reportThroughput(rounds: number, seconds: number, say: Say): Promise<void> {
  const receiver = await startReceiver();
  try {
    say('## Events per second (CPU per event)\n');
    say('| | engine | bare loop | ratio (bar: at least 0.8 ×) | by CPU per event |');
    say('|---|---|---|---|---|');
    for (const row of rows) {
      const [engine, bare] = await interleave(row, rounds, seconds);
      const name = `batches of ${row.batchEvents}, ${row.isGzipped ? 'gzip' : 'plain'}`;
      say(
        `| ${name} | ${shown(engine)} | ${shown(bare)} | ` +
          `${times(engine.eventsPerSecond / bare.eventsPerSecond)} | ${times(bare.cpuMicrosPerEvent / engine.cpuMicrosPerEvent)} |`,
      );
    }
  } finally {
    await receiver.stop();
  }
}

async function interleave(
  row: (typeof rows)[number],
  rounds: number,
  seconds: number,
): Promise<[LoadFigures, LoadFigures]> {
  const figures: Record<LoadOptions['sender'], LoadFigures[]> = { engine: [], bare: [] };
  for (let round = 0; round < rounds; round++) {
    for (const sender of ['engine', 'bare'] as const) {
      const load = { ...common, ...row, sender, warmUpSeconds: 1, seconds, isRelentless: false };
      const outcome = await runLoad(load);
      await checkNothingMissing(sender, outcome);
      figures[sender].push(outcome);
    }
  }
  return [medians(figures.engine), medians(figures.bare)];
}

/** Figures of a sender that lost something would say nothing. */
async function checkNothingMissing(sender: string, { offered, delivered }: LoadFigures): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${PORT}/lines`);
  const received = Number(await response.text());
  if (offered !== delivered || delivered !== received)
    throw new Error(`${sender}: of ${offered} events ${delivered} were delivered, ${received} received`);
}

interface Outage {
  readonly name: string;
  /** Happens after the warm-up and lasts until all is measured. */
  befall(receiver: ServerProcess): Promise<void>;
}

const outages: readonly Outage[] = [
  { name: 'is down', befall: (receiver) => receiver.stop() },
  // The system goes on accepting connections for a process that stands still.
  { name: 'hangs: it accepts and never answers', befall: async (receiver) => receiver.freeze() },
];

/**
 * Both outages beside one run of the bare loop, with the target down: while it hangs, the bare loop does nothing but
 * wait, and its event loop is idle.
 */
async function reportOutages(seconds: number, say: Say): Promise<void> {
  const bare = await suffer('bare', outages[0]!, seconds);
  for (const outage of outages) {
    const engine = await suffer('engine', outage, seconds);
    say(`\n## The target ${outage.name}, for ${seconds} s at full load (batches of 100, plain)\n`);
    say(
      `Resident memory of the engine grew by ${(engine.residentGrowthBytes / MEGABYTE).toFixed(0)} MB at its highest ` +
        `(bar: at most the buffer of ${BUFFER_BYTES / MEGABYTE} MB + 100 MB).`,
    );
    say(
      `Event-loop delay p99: engine ${engine.loopDelayP99Ms.toFixed(1)} ms, bare loop with the target down ` +
        `${bare.loopDelayP99Ms.toFixed(1)} ms: ${times(engine.loopDelayP99Ms / bare.loopDelayP99Ms)} (bar: at most 3 ×).`,
    );
    say(
      `The engine was offered ${Math.round(engine.offered / 1000)} thousand events without a pause, ` +
        `${engine.isBalanced ? 'each of which' : 'NOT each of which'} ended in exactly one counter.`,
    );
  }
}

async function suffer(
  sender: LoadOptions['sender'],
  { befall }: Outage,
  seconds: number,
): Promise<LoadFigures> {
  const receiver = await startReceiver();
  const load = { ...common, sender, batchEvents: 100, isGzipped: false, seconds };
  try {
    return await runLoad({ ...load, warmUpSeconds: 3, isRelentless: true }, () => befall(receiver));
  } finally {
    await receiver.stop();
  }
}

const common = { port: PORT, connections: CONNECTIONS, bufferBytes: BUFFER_BYTES };

function startReceiver(): Promise<ServerProcess> {
  return ServerProcess.start(
    {
      name: 'receiver',
      command: process.execPath,
      args: [join(here, 'peers', 'log-receiver.js'), String(PORT)],
    },
    PORT,
  );
}

/** Runs one load in a process of its own. */
async function runLoad(
  options: LoadOptions,
  onWarm: () => Promise<void> = async () => {},
): Promise<LoadFigures> {
  const script = join(here, 'load', 'delivery-load.ts');
  const child = spawn(process.execPath, [script, JSON.stringify(options)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  let last = '';
  for await (const line of createInterface(child.stdout)) {
    last = line;
    if (line !== 'warm') continue;
    await onWarm();
    child.stdin.write('go\n');
  }
  const [code] = await exited;
  if (code !== 0) throw new Error(`the load ended with ${code}`);
  return JSON.parse(last) as LoadFigures;
}

function medians(figures: readonly LoadFigures[]): LoadFigures {
  const of = (read: (one: LoadFigures) => number) => median(figures.map(read));
  return {
    eventsPerSecond: of(({ eventsPerSecond }) => eventsPerSecond),
    cpuMicrosPerEvent: of(({ cpuMicrosPerEvent }) => cpuMicrosPerEvent),
    residentGrowthBytes: of(({ residentGrowthBytes }) => residentGrowthBytes),
    loopDelayP99Ms: of(({ loopDelayP99Ms }) => loopDelayP99Ms),
    offered: of(({ offered }) => offered),
    delivered: of(({ delivered }) => delivered),
    isBalanced: figures.every(({ isBalanced }) => isBalanced),
  };
}

function shown({ eventsPerSecond, cpuMicrosPerEvent }: LoadFigures): string {
  return `${Math.round(eventsPerSecond)} (${cpuMicrosPerEvent.toFixed(1)} µs)`;
}
