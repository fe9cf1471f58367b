import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { connect } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { median, Report, times } from './report.ts';
import { type ServerCommand, ServerProcess } from './server-process.ts';

const here = dirname(fileURLToPath(import.meta.url));
const OUR_PORT = 18201;
const OUR_TLS_PORT = 18210;
const BARE_PORT = 18202;
const CLIENTS = 16;
/** Of the bare server's connections per second, or of its processor time per connection. */
const BAR = 0.85;

/** New TLS connections per second: full handshakes, one small request each, beside a bare node:tls server. */
export async function benchTls(argv: string[]): Promise<void> {
  const { values } = parseArgs({
    args: argv,
    options: { rounds: { type: 'string', default: '5' }, seconds: { type: 'string', default: '3' } },
  });
  const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)];
  const data = mkdtempSync(join(tmpdir(), 'bench-tls-'));
  const servers: ServerProcess[] = [];
  try {
    const ours = await startOurs(data);
    servers.push(ours);
    const bare = await startBare(data);
    servers.push(bare);
    const samples = { ours: [] as Sample[], bare: [] as Sample[] };
    for (let round = 0; round <= rounds; round++) {
      // The first round warms both up and does not count.
      const one = await measure(ours, OUR_TLS_PORT, seconds);
      const other = await measure(bare, BARE_PORT, seconds);
      if (round === 0) continue;
      samples.ours.push(one);
      samples.bare.push(other);
    }
    tell(samples, rounds, seconds);
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    rmSync(data, { recursive: true, force: true });
  }
}

interface Sample {
  readonly perSecond: number;
  readonly cpuMicros: number;
}

async function startOurs(data: string): Promise<ServerProcess> {
  const main = join(here, '..', 'src', 'cli', 'main.ts');
  const flags = ['--port', String(OUR_PORT), '--tls-base-port', String(OUR_TLS_PORT), '--log-level', 'error'];
  const command: ServerCommand = {
    name: 'gatehouse',
    command: process.execPath,
    args: [main, 'testbed', '--data', data, ...flags],
  };
  const started = await ServerProcess.start(command, OUR_PORT);
  await untilHandshake(OUR_TLS_PORT);
  return started;
}

/** With the same certificate and key, taken from what the other server made. */
function startBare(data: string): Promise<ServerProcess> {
  const material = JSON.parse(readFileSync(join(data, 'testbed', 'pki', 'material.json'), 'utf8'));
  const pem = (name: string) =>
    `-----BEGIN CERTIFICATE-----\n${material.certificates[name].der}\n-----END CERTIFICATE-----\n`;
  const identity = join(data, 'bare.json');
  writeFileSync(
    identity,
    JSON.stringify({ cert: pem('server') + pem('intermediate'), key: material.keys.server }),
  );
  const args = [join(here, 'peers', 'bare-tls.js'), String(BARE_PORT), identity];
  return ServerProcess.start({ name: 'bare node:tls', command: process.execPath, args }, BARE_PORT);
}

async function untilHandshake(port: number): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  socket.destroy();
}

/** The load runs in a thread of its own. */
async function measure(server: ServerProcess, port: number, seconds: number): Promise<Sample> {
  const before = server.cpuMs();
  const worker = new Worker(new URL('load/handshakes.ts', import.meta.url), {
    workerData: { port, seconds, clients: CLIENTS },
  });
  const [connections] = (await once(worker, 'message')) as [number];
  const cpuMicros = ((server.cpuMs() - before) * 1000) / connections;
  await worker.terminate();
  return { perSecond: connections / seconds, cpuMicros };
}

function tell(samples: Record<'ours' | 'bare', Sample[]>, rounds: number, seconds: number): void {
  const of = (name: 'ours' | 'bare', member: keyof Sample) =>
    median(samples[name].map((sample) => sample[member]));
  const row = (name: 'ours' | 'bare') =>
    `${of(name, 'perSecond').toFixed(0)} | ${of(name, 'cpuMicros').toFixed(0)} µs`;
  const rate = of('ours', 'perSecond') / of('bare', 'perSecond');
  const cpu = of('bare', 'cpuMicros') / of('ours', 'cpuMicros');
  const report = new Report('New TLS connections: measured side by side');
  report.say(
    `${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores shared with the load generator (${CLIENTS} clients, TLS 1.3, RSA 2048, no resumption, one request each);`,
  );
  report.say(
    `${rounds} interleaved rounds of ${seconds} s, medians. Read the ratios: absolute numbers mean nothing elsewhere.\n`,
  );
  report.say('| | connections per second | CPU per connection |');
  report.say('|---|---|---|');
  report.say(`| gatehouse, GET /get | ${row('ours')} |`);
  report.say(`| bare node:tls, a fixed answer | ${row('bare')} |`);
  report.say(`| gatehouse ÷ bare | ${times(rate)} | ${times(cpu)} |`);
  report.say(`\nBar: at least ${times(BAR)}.`);
  report.save();
  if (rate < BAR) process.exitCode = 1;
}
