import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { median, Report } from './report.ts';
import { ServerProcess } from './server-process.ts';

const main = join(dirname(fileURLToPath(import.meta.url)), '..', 'src', 'cli', 'main.ts');
const ADMIN_PASSWORD = 'a password for the bench';
const PASSWORD = 'a password of a user';
const PORT = 18_131;

/** The four refusals that must not be told apart: name and password of each attempt. */
const attempts: ReadonlyArray<{ readonly kind: string; readonly user: string; readonly password: string }> = [
  { kind: 'unknown user', user: 'unknown', password: PASSWORD },
  { kind: 'wrong password', user: 'known', password: 'not this one' },
  { kind: 'locked', user: 'locked', password: PASSWORD },
  { kind: 'disabled', user: 'disabled', password: PASSWORD },
];

/** Whether the time of a refused sign-in tells its reason: medians of interleaved attempts, at most 10 % apart. */
export async function benchSignIn(argv: string[]): Promise<void> {
  const { values } = parseArgs({ args: argv, options: { rounds: { type: 'string', default: '400' } } });
  const rounds = Number(values.rounds);
  const dataFolder = mkdtempSync(join(tmpdir(), 'bench-sign-in-'));
  const { say, save } = reportOf(rounds);
  const server = await ServerProcess.start(
    {
      name: 'manager',
      command: process.execPath,
      args: [main, 'manager', '--port', String(PORT), '--data', dataFolder, '--log-level', 'error'],
      env: { GATEHOUSE_ADMIN_PASSWORD: ADMIN_PASSWORD },
    },
    PORT,
  );
  try {
    await prepare();
    const medians = new Map<string, number>();
    for (const [kind, times] of await measure(rounds)) medians.set(kind, median(times));
    say('| refused because | median | against the fastest |');
    say('|---|---|---|');
    const fastest = Math.min(...medians.values());
    for (const [kind, ms] of medians)
      say(`| ${kind} | ${ms.toFixed(2)} ms | + ${((ms / fastest - 1) * 100).toFixed(1)} % |`);
    const spread = (Math.max(...medians.values()) / fastest - 1) * 100;
    say(`\nFarthest apart: ${spread.toFixed(1)} % (bar: at most 10 %).`);
  } finally {
    await server.stop();
    rmSync(dataFolder, { recursive: true, force: true });
  }
  save();
}

function reportOf(rounds: number) {
  const report = new Report('Sign-in: time tells no reason');
  report.say(
    `${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores; ${rounds} attempts of each kind, interleaved, one at a time.\n`,
  );
  return { say: report.say, save: () => report.save() };
}

async function prepare(): Promise<void> {
  const answer = await signIn('admin', ADMIN_PASSWORD);
  const { access_token: token } = (await answer.json()) as { access_token: string };
  const manage = async (method: string, path: string, body?: object) => {
    const response = await fetch(`http://127.0.0.1:${PORT}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  };
  for (const name of ['known', 'locked', 'disabled'])
    await manage('POST', '/apiops/users/', { name, password: PASSWORD });
  await manage('POST', '/apiops/users/locked/lock/');
  await manage('POST', '/apiops/users/disabled/disable/');
  // The wrong password must stay one, whatever the number of rounds.
  await manage('PUT', '/apiops/settings/security/', {
    lockAfterFailedSignIns: 1000,
    signInsPerMinuteAndName: 1_000_000,
    signInsPerMinuteAndAddress: 1_000_000,
  });
}

async function measure(rounds: number): Promise<Map<string, number[]>> {
  const times = new Map<string, number[]>(attempts.map(({ kind }) => [kind, []]));
  const warmUpRounds = 5;
  for (let round = -warmUpRounds; round < rounds; round++) {
    for (const { kind, user, password } of attempts) {
      const begun = performance.now();
      const response = await signIn(user, password);
      await response.arrayBuffer();
      const tookMs = performance.now() - begun;
      if (response.status !== 401) throw new Error(`${kind}: ${response.status}`);
      if (round >= 0) times.get(kind)!.push(tookMs);
    }
  }
  return times;
}

function signIn(client_id: string, client_secret: string): Promise<Response> {
  return fetch(`http://127.0.0.1:${PORT}/apiops/auth/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret }),
  });
}
