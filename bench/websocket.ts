import { availableParallelism, cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type EchoLoad, runEchoLoad } from './load/websocket-echo.ts';
import { median, Report, times } from './report.ts';
import { ServerProcess } from './server-process.ts';

const here = dirname(fileURLToPath(import.meta.url));
const BAR = 0.85;

const rows: ReadonlyArray<EchoLoad & { readonly name: string }> = [
  { name: '64 B, one at a time', payloadBytes: 64, connections: 32, inFlight: 1 },
  { name: '64 B, sixteen at a time', payloadBytes: 64, connections: 32, inFlight: 16 },
  { name: '4 KB, one at a time', payloadBytes: 4096, connections: 32, inFlight: 1 },
  { name: '64 KB, one at a time', payloadBytes: 65_536, connections: 8, inFlight: 1 },
];

interface Sample {
  readonly perSecond: number;
  readonly cpuMicros: number;
}

/** Echo messages per second through /ws/echo, beside a bare `ws` server in the same run. */
export async function benchWebSocket(argv: string[]): Promise<void> {
  const { values } = parseArgs({
    args: argv,
    options: { rounds: { type: 'string', default: '5' }, seconds: { type: 'string', default: '3' } },
  });
  const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)];
  const main = join(here, '..', 'src', 'cli', 'main.ts');
  const ours = await ServerProcess.start(
    {
      name: 'gatehouse',
      command: process.execPath,
      args: [main, 'testbed', '--port', '18111', '--no-tls', '--log-level', 'error'],
    },
    18_111,
  );
  const bare = await ServerProcess.start(
    { name: 'bare ws', command: process.execPath, args: [join(here, 'peers', 'bare-ws.js'), '18112'] },
    18_112,
  );
  const report = new Report('WebSocket: echo messages beside a bare ws server');
  const { say } = report;
  try {
    say(
      `${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores shared with the load client; ` +
        `${rounds} interleaved rounds of ${seconds} s, medians. Read the ratios. Bar: at least ${BAR} of bare ws.\n`,
    );
    say('| | gatehouse /ws/echo per second (CPU) | bare ws per second (CPU) | ratio | by CPU per message |');
    say('|---|---|---|---|---|');
    for (const row of rows) {
      const samples = await measure([ours, bare], row, rounds, seconds);
      const [mine, theirs] = [medians(samples.get(ours)!), medians(samples.get(bare)!)];
      say(
        `| ${row.name} | ${shown(mine)} | ${shown(theirs)} | ${times(mine.perSecond / theirs.perSecond)} | ` +
          `${times(theirs.cpuMicros / mine.cpuMicros)} |`,
      );
    }
  } finally {
    await Promise.all([ours.stop(), bare.stop()]);
  }
  report.save();
}

/** Rounds are interleaved, so that a noisy minute touches both servers alike; the first one only warms up. */
async function measure(
  servers: readonly ServerProcess[],
  load: EchoLoad,
  rounds: number,
  seconds: number,
): Promise<Map<ServerProcess, Sample[]>> {
  const samples = new Map(servers.map((server) => [server, [] as Sample[]]));
  for (let round = 0; round <= rounds; round++) {
    for (const server of servers) {
      const cpuBefore = server.cpuMs();
      const { messages, messagesPerSecond } = await runEchoLoad(
        server.port,
        '/ws/echo',
        load,
        round === 0 ? 1 : seconds,
      );
      const cpuMicros = ((server.cpuMs() - cpuBefore) * 1000) / messages;
      if (round > 0) samples.get(server)!.push({ perSecond: messagesPerSecond, cpuMicros });
    }
  }
  return samples;
}

function medians(samples: readonly Sample[]): Sample {
  return {
    perSecond: median(samples.map(({ perSecond }) => perSecond)),
    cpuMicros: median(samples.map(({ cpuMicros }) => cpuMicros)),
  };
}

function shown({ perSecond, cpuMicros }: Sample): string {
  return `${Math.round(perSecond)} (${cpuMicros.toFixed(1)} µs)`;
}
