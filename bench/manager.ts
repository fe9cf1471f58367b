import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Project } from '../src/model/project.ts';
import type { Token } from '../src/model/token.ts';
import type { User } from '../src/model/user.ts';
import { newId } from '../src/store/new-id.ts';
import { openStore } from '../src/store/open-store.ts';
import { requireWrk, runWrk } from './load/wrk.ts';
import { median, Report, times } from './report.ts';
import { ServerProcess } from './server-process.ts';

const here = dirname(fileURLToPath(import.meta.url));
const PASSWORD = 'a password for the bench';

interface Size {
  readonly name: string;
  readonly tokens: number;
  readonly projects: number;
  readonly users: number;
}
const SMALL: Size = { name: '100 of each', tokens: 100, projects: 100, users: 100 };
const LARGE: Size = {
  name: '100,000 tokens, 10,000 projects, 10,000 users',
  tokens: 100_000,
  projects: 10_000,
  users: 10_000,
};

const lists: ReadonlyArray<{ readonly name: string; readonly path: string }> = [
  { name: 'look a token up', path: '/apiops/test/healthcheck/' },
  { name: 'a project by its name', path: '/apiops/projects/project-00042/' },
  { name: 'a page of projects', path: '/apiops/projects/?size=50' },
  { name: 'a user by their name', path: '/apiops/users/user-00042/' },
  { name: 'a page of users', path: '/apiops/users/?size=50' },
  { name: 'a page of own tokens', path: '/apiops/tokens/?size=50' },
];

/** A Manager under measurement, signed in to. */
interface Signed {
  readonly server: ServerProcess;
  readonly headers: readonly string[];
}

export async function benchManager(argv: string[]): Promise<void> {
  const { values } = parseArgs({
    args: argv,
    options: { rounds: { type: 'string', default: '5' }, seconds: { type: 'string', default: '3' } },
  });
  requireWrk();
  const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)];
  const folder = mkdtempSync(join(tmpdir(), 'bench-manager-'));
  const report = new Report('Management API: measured side by side');
  const { say } = report;
  const running: ServerProcess[] = [];
  try {
    const small = await startManager(join(folder, 'small'), SMALL, 18121);
    running.push(small.server);
    const large = await startManager(join(folder, 'large'), LARGE, 18122);
    running.push(large.server);
    const bare = await startBare(join(folder, 'bare.db'), 18123);
    running.push(bare.server);
    say(
      `${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores shared with the load generator (wrk, 1 thread); ${rounds} interleaved rounds of ${seconds} s, medians.`,
    );
    await reportReads(small, bare, rounds, seconds, say);
    await reportSizes(small, large, rounds, seconds, say);
  } finally {
    await Promise.all(running.map((server) => server.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
  report.save();
}

async function startManager(dataFolder: string, size: Size, port: number): Promise<Signed> {
  await fill(dataFolder, size);
  const main = join(here, '..', 'src', 'cli', 'main.ts');
  const server = await ServerProcess.start(
    {
      name: `manager (${size.name})`,
      command: process.execPath,
      args: [main, 'manager', '--port', String(port), '--data', dataFolder, '--log-level', 'error'],
      env: { GATEHOUSE_ADMIN_PASSWORD: PASSWORD },
    },
    port,
  );
  const response = await fetch(`http://127.0.0.1:${port}/apiops/auth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: 'admin',
      client_secret: PASSWORD,
    }),
  });
  const { access_token: token } = (await response.json()) as { access_token: string };
  return { server, headers: [`Authorization: Bearer ${token}`] };
}

async function startBare(file: string, port: number): Promise<Signed> {
  const token = randomBytes(32).toString('base64url');
  const server = await ServerProcess.start(
    {
      name: 'bare node:http and SQLite',
      command: process.execPath,
      args: [join(here, 'peers', 'bare-sqlite.js'), String(port), file, token],
    },
    port,
  );
  return { server, headers: [`Authorization: Bearer ${token}`] };
}

/** Before the Manager starts: it finds a database that was long in use. */
async function fill(dataFolder: string, size: Size): Promise<void> {
  const store = await openStore({ dataFolder });
  const number = (index: number) => String(index).padStart(5, '0');
  const projects = store.collection<Project>({ name: 'projects', unique: [['name']], indexed: [] });
  await projects.insertMany(
    Array.from({ length: size.projects }, (_, index) => ({
      name: `project-${number(index)}`,
      description: 'A project of the bench',
      relativePath: '',
      tags: [],
    })),
  );
  const users = store.collection<User & { isAdministrator: boolean }>({
    name: 'users',
    unique: [['name']],
    indexed: [['isAdministrator']],
  });
  await users.insertMany(
    Array.from({ length: size.users }, (_, index) => ({
      name: `user-${number(index)}`,
      fullName: 'A user of the bench',
      email: 'bench@example.com',
      isEnabled: true,
      passwordHash: 'none',
      roles: [{ role: 'viewer' }],
      edition: 1,
      createdAt: Date.now(),
      failedSignIns: 0,
      isAdministrator: false,
    })),
  );
  const tokens = store.collection<Token>({
    name: 'tokens',
    unique: [['hash'], ['userId', 'name']],
    indexed: [['userId', 'createdAt'], ['expiresAt']],
  });
  const owners = Array.from({ length: size.users }, newId);
  await tokens.insertMany(
    Array.from({ length: size.tokens }, (_, index) => ({
      hash: createHash('sha256').update(`token ${index}`).digest('hex'),
      userId: owners[index % owners.length]!,
      source: 'SIGN_IN' as const,
      createdAt: Date.now(),
      expiresAt: Date.now() + 3_600_000,
    })),
  );
  await store.close();
}

async function reportReads(
  ours: Signed,
  bare: Signed,
  rounds: number,
  seconds: number,
  say: (line?: string) => void,
): Promise<void> {
  const samples = new Map<Signed, { rps: number; cpuMicros: number }[]>([
    [ours, []],
    [bare, []],
  ]);
  for (let round = 0; round <= rounds; round++) {
    for (const [signed, list] of samples) {
      const before = signed.server.cpuMs();
      const rate = await requestRate(signed, '/apiops/projects/Default/', round === 0 ? 1 : seconds, 16);
      const cpuMicros = ((signed.server.cpuMs() - before) * 1000) / rate.requests;
      if (round > 0) list.push({ rps: rate.requestsPerSecond, cpuMicros });
    }
  }
  const rps = (signed: Signed) => median(samples.get(signed)!.map((one) => one.rps));
  const cpu = (signed: Signed) => median(samples.get(signed)!.map((one) => one.cpuMicros));
  say('\n## Authenticated reads per second (CPU per request)\n');
  say('| | Manager | bare node:http that reads one row of SQLite | ratio | by CPU per request |');
  say('|---|---|---|---|---|');
  say(
    `| GET /apiops/projects/Default/ | ${Math.round(rps(ours))} (${cpu(ours).toFixed(0)} µs) | ${Math.round(rps(bare))} (${cpu(bare).toFixed(0)} µs) | ${times(rps(ours) / rps(bare))} (bar: at least 0.6 ×) | ${times(cpu(bare) / cpu(ours))} |`,
  );
}

async function reportSizes(
  small: Signed,
  large: Signed,
  rounds: number,
  seconds: number,
  say: (line?: string) => void,
): Promise<void> {
  say(`\n## Time of one request, ${SMALL.name} and ${LARGE.name}\n`);
  say('| | small | large | ratio (bar: at most 2 ×) |');
  say('|---|---|---|---|');
  for (const { name, path } of lists) {
    const micros = new Map<Signed, number[]>([
      [small, []],
      [large, []],
    ]);
    for (let round = 0; round <= rounds; round++) {
      for (const [signed, list] of micros) {
        const { requestsPerSecond } = await requestRate(signed, path, Math.min(seconds, 1), 1);
        if (round > 0) list.push(1e6 / requestsPerSecond);
      }
    }
    const [at, then] = [median(micros.get(small)!), median(micros.get(large)!)];
    say(`| ${name} | ${at.toFixed(0)} µs | ${then.toFixed(0)} µs | ${times(then / at)} |`);
  }
}

async function requestRate({ server, headers }: Signed, path: string, seconds: number, connections: number) {
  const result = await runWrk(server.port, { path, headers }, { seconds, connections });
  if (result.failures > 0) throw new Error(`${server.name} failed ${result.failures} of ${path}`);
  return result;
}
