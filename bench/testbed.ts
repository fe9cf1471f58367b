import { availableParallelism, cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { holdSlowClients } from './load/slow-clients.ts';
import { upload } from './load/upload.ts';
import { type Load, requireWrk, runWrk } from './load/wrk.ts';
import { goHttpbin, pythonHttpbin } from './peers/peers.ts';
import { median, Report, times } from './report.ts';
import { type ServerCommand, ServerProcess } from './server-process.ts';

const here = dirname(fileURLToPath(import.meta.url));
const cores = availableParallelism();
const GiB = 1024 ** 3;
const SETTLE_MS = 2000;

const rows: ReadonlyArray<Load & { readonly name: string }> = [
  { name: 'GET /get', path: '/get' },
  {
    name: 'POST /anything 1 KB',
    path: '/anything',
    method: 'POST',
    contentType: 'application/json',
    body: JSON.stringify({ text: 'x'.repeat(1024 - 11) }),
  },
  { name: 'GET /bytes/10240', path: '/bytes/10240' },
  { name: 'GET /stream/20', path: '/stream/20' },
];

interface Sample {
  readonly rps: number;
  readonly cpuMicros: number;
}
type Samples = Map<string, Map<string, Sample[]>>;

export async function benchTestbed(argv: string[]): Promise<void> {
  const { values } = parseArgs({
    args: argv,
    options: { rounds: { type: 'string', default: '5' }, seconds: { type: 'string', default: '3' } },
  });
  requireWrk();
  const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)];
  const servers = await startAll();
  const report = new Report('Test service: measured side by side');
  const { say } = report;
  try {
    say(
      `${cpus()[0]?.model ?? 'unknown processor'}, ${cores} cores shared with the load generator (wrk, 1 thread, 32 connections);`,
    );
    say(
      `${rounds} interleaved rounds of ${seconds} s, medians. Read the ratios: absolute numbers mean nothing elsewhere.`,
    );
    say(
      'wrk sends the same head again and again, which gatehouse recognises: of a GET only the first head of a connection is parsed.',
    );
    reportThroughput(await measureThroughput(servers, rounds, seconds), say);
    await reportSlowClients(servers.get('gatehouse')!, rounds, seconds, say);
    await reportUpload(servers.get('gatehouse')!, say);
  } finally {
    await Promise.all([...servers.values()].map((server) => server.stop()));
  }
  report.save();
}

async function startAll(): Promise<Map<string, ServerProcess>> {
  const main = join(here, '..', 'src', 'cli', 'main.ts');
  const ours = (name: string, port: number, ...flags: string[]): ServerCommand => ({
    name,
    command: process.execPath,
    args: [main, 'testbed', '--port', String(port), '--no-tls', '--log-level', 'error', ...flags],
  });
  const commands: Array<[port: number, command: ServerCommand | undefined]> = [
    [18101, ours('gatehouse', 18101)],
    [
      18102,
      {
        name: 'bare node:http',
        command: process.execPath,
        args: [join(here, 'peers', 'bare-node.js'), '18102'],
      },
    ],
    [18103, ours(`gatehouse --processes ${cores}`, 18103, '--processes', String(cores))],
    [18104, goHttpbin(18104)],
    [18105, pythonHttpbin(18105, cores)],
  ];
  const servers = new Map<string, ServerProcess>();
  for (const [port, command] of commands) {
    if (command) servers.set(command.name, await ServerProcess.start(command, port));
  }
  return servers;
}

/** Rounds are interleaved, so that a noisy minute touches every server alike. */
async function measureThroughput(
  servers: Map<string, ServerProcess>,
  rounds: number,
  seconds: number,
): Promise<Samples> {
  const samples: Samples = new Map(rows.map(({ name }) => [name, new Map()]));
  for (let round = 0; round <= rounds; round++) {
    for (const row of rows) {
      for (const server of servers.values()) {
        const before = server.cpuMs();
        const isWarmUp = round === 0;
        const result = await runWrk(server.port, row, { seconds: isWarmUp ? 1 : seconds, connections: 32 });
        if (result.failures > 0) throw new Error(`${server.name} failed ${result.failures} of ${row.name}`);
        if (isWarmUp) continue;
        const cpuMicros = ((server.cpuMs() - before) * 1000) / result.requests;
        const list = samples.get(row.name)!;
        list.set(server.name, [
          ...(list.get(server.name) ?? []),
          { rps: result.requestsPerSecond, cpuMicros },
        ]);
      }
    }
  }
  return samples;
}

function reportThroughput(samples: Samples, say: (line?: string) => void): void {
  const names = [
    'gatehouse',
    'bare node:http',
    `gatehouse --processes ${cores}`,
    'go-httpbin',
    'python httpbin (gunicorn)',
  ];
  say('\n## Requests per second (CPU per request)\n');
  say(`| | ${names.join(' | ')} |`);
  say(`|---|${names.map(() => '---').join('|')}|`);
  const rpsOf = (row: string, name: string) =>
    median((samples.get(row)!.get(name) ?? []).map(({ rps }) => rps));
  const cpuOf = (row: string, name: string) =>
    median((samples.get(row)!.get(name) ?? []).map(({ cpuMicros }) => cpuMicros));
  for (const { name: row } of rows) {
    const cells = names.map((name) =>
      samples.get(row)!.has(name)
        ? `${Math.round(rpsOf(row, name))} (${cpuOf(row, name).toFixed(0)} µs)`
        : 'not measured',
    );
    say(`| ${row} | ${cells.join(' | ')} |`);
  }
  say('\n## Ratios\n');
  say(
    `| | one process ÷ bare node:http | same, by CPU per request | ${cores} processes ÷ go-httpbin | one process ÷ python httpbin |`,
  );
  say('|---|---|---|---|---|');
  for (const { name: row } of rows) {
    const ratio = (ours: string, peer: string) =>
      samples.get(row)!.has(peer) ? times(rpsOf(row, ours) / rpsOf(row, peer)) : 'not measured';
    say(
      `| ${row} | ${ratio('gatehouse', 'bare node:http')} | ${times(cpuOf(row, 'bare node:http') / cpuOf(row, 'gatehouse'))} | ` +
        `${ratio(`gatehouse --processes ${cores}`, 'go-httpbin')} | ${ratio('gatehouse', 'python httpbin (gunicorn)')} |`,
    );
  }
  say(
    '\nBars: GET /get at least 1.3 × bare node:http, and with one process for each core 1.2 × go-httpbin; ahead of go-httpbin on every row.',
  );
}

async function reportSlowClients(
  server: ServerProcess,
  rounds: number,
  seconds: number,
  say: (line?: string) => void,
): Promise<void> {
  const quiet: number[] = [];
  const busy: number[] = [];
  const measure = async () =>
    (await runWrk(server.port, { path: '/get' }, { seconds, connections: 16 })).p99Ms;
  for (let round = 0; round < rounds; round++) {
    quiet.push(await measure());
    const release = await holdSlowClients(server.port, 1000, '/proxy-test/timeout/slow-body');
    // Their arrival is over: what is measured is that they are there.
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    busy.push(await measure());
    release();
  }
  say('\n## 1,000 clients on /proxy-test/timeout/slow-body beside /get\n');
  say(
    `p99 of /get ${median(quiet).toFixed(2)} ms without them, ${median(busy).toFixed(2)} ms with them: ${times(median(busy) / median(quiet))} (bar: at most 3 ×).`,
  );
}

async function reportUpload(server: ServerProcess, say: (line?: string) => void): Promise<void> {
  const before = server.residentBytes();
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, server.residentBytes());
  }, 50);
  const answer = await upload(server.port, '/proxy-test/body/binary/verify', GiB);
  clearInterval(watch);
  if (!/^HTTP\/1\.1 200 /.test(answer)) throw new Error(`the upload was refused: ${answer.slice(0, 200)}`);
  say('\n## 1 GiB uploaded to /proxy-test/body/binary/verify\n');
  say(
    `Resident memory grew by ${((peak - before) / 1e6).toFixed(0)} MB at its highest (bar: less than 100 MB).`,
  );
}
