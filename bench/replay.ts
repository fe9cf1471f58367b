import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { LogIndexClient } from '../src/log-index/client.ts';
import { trafficLogTemplate, trafficLogTemplateName } from '../src/log-index/traffic-log-template.ts';
import { openStore } from '../src/store/open-store.ts';
import { openUnsentSource } from '../src/store/unsent/open-unsent-source.ts';
import { startOpenSearch } from '../test/engines/opensearch/opensearch-server.ts';
import { median, Report, times } from './report.ts';

const main = join(dirname(fileURLToPath(import.meta.url)), '../src/cli/main.ts');
const MEGABYTE = 2 ** 20;
const CURL_BAR = 20;
const POST_BAR = 5;
const MEMORY_BAR_MB = 150;
const APPENDED_AT_ONCE = 500;
const LOOK_MS = 50;

/** Replaying unsent records beside what the written procedure does: one curl for each record, and one POST for each. */
export async function benchReplay(argv: string[]): Promise<void> {
  const { values } = parseArgs({
    args: argv,
    options: {
      rounds: { type: 'string', default: '3' },
      records: { type: 'string', default: '20000' },
      large: { type: 'string', default: '100000' },
    },
  });
  const [rounds, records, large] = [Number(values.rounds), Number(values.records), Number(values.large)];
  const report = new Report('Replay of unsent records: beside one call for each record');
  const { say } = report;
  const server = await startOpenSearch();
  if (!('url' in server)) {
    say(`not measured: ${server.missing}`);
    return;
  }
  const index = new LogIndexClient({ url: server.url });
  try {
    await index.putTemplate(trafficLogTemplateName, trafficLogTemplate);
    say(
      `${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores shared with OpenSearch 2 (heap 1 GB); records of 2 KB from the ` +
        `embedded database, ${rounds} rounds, medians. The command reads, sends, backs up and deletes; the loops only send.\n`,
    );
    await reportSpeed(index, rounds, records, say);
    await reportMemory(index, large, say);
    report.save();
  } finally {
    await index[Symbol.asyncDispose]();
    await server.stop();
  }
}

async function reportSpeed(index: LogIndexClient, rounds: number, records: number, say: Report['say']) {
  const figures = { command: [] as number[], post: [] as number[], curl: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    figures.command.push((await replayed(index, records, 2000)).perSecond);
    figures.post.push(await posted(index, Math.ceil(records / 20), 2000));
    figures.curl.push(await curled(index, 100, 2000));
  }
  const [command, post, curl] = [median(figures.command), median(figures.post), median(figures.curl)];
  say('| | records per second | command is faster by | bar |');
  say('|---|---|---|---|');
  say(`| \`gatehouse replay-unsent\` | ${Math.round(command)} | | |`);
  say(
    `| one keep-alive POST for each record | ${Math.round(post)} | ${times(command / post)} | ${POST_BAR} × |`,
  );
  say(`| one curl for each record | ${Math.round(curl)} | ${times(command / curl)} | ${CURL_BAR} × |`);
}

async function reportMemory(index: LogIndexClient, records: number, say: Report['say']): Promise<void> {
  const { perSecond, grownBytes } = await replayed(index, records, 10_000);
  say(
    `\n${records} records of 10 KB: ${Math.round(perSecond)} records per second, resident memory grew by ` +
      `${Math.round(grownBytes / MEGABYTE)} MB (bar: less than ${MEMORY_BAR_MB} MB).`,
  );
}

/** The command, as an operator runs it, from the plan to its end. */
async function replayed(index: LogIndexClient, count: number, bytes: number) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-replay-'));
  try {
    await fill(folder, count, bytes);
    const stream = await newStream(index);
    const argv = [
      '--data',
      folder,
      '--stream',
      stream,
      '--log-index-url',
      index.url,
      '--backup-done',
      '--json',
    ];
    const child = spawn(process.execPath, [main, 'replay-unsent', ...argv, '--work-folder', folder], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [result, said] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      result += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    const ended = once(child, 'close');
    while (!said.includes('Replay of unsent records') && child.exitCode === null) await delay(5);
    const beganAt = performance.now();
    const atBegin = residentBytes(child.pid!);
    let most = atBegin;
    while (child.exitCode === null) {
      most = Math.max(most, residentBytes(child.pid!));
      await Promise.race([ended, delay(LOOK_MS)]);
    }
    const seconds = (performance.now() - beganAt) / 1000;
    await ended;
    const { deleted, end } = JSON.parse(result) as { deleted: number; end: string };
    if (end !== 'finished' || deleted !== count) throw new Error(`the replay did not do its work: ${said}`);
    await index.deleteDataStream(stream);
    return { perSecond: count / seconds, grownBytes: most - atBegin };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function posted(index: LogIndexClient, count: number, bytes: number): Promise<number> {
  const stream = await newStream(index);
  const pool = new Pool(index.url, { connections: 1 });
  const beganAt = performance.now();
  for (let at = 0; at < count; at++) {
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path: `/${stream}/_doc`,
      headers: { 'content-type': 'application/json' },
      body: contentOf(at, bytes),
    });
    await body.text();
    if (statusCode !== 201) throw new Error(`status ${statusCode}`);
  }
  const seconds = (performance.now() - beganAt) / 1000;
  await pool.close();
  await index.deleteDataStream(stream);
  return count / seconds;
}

async function curled(index: LogIndexClient, count: number, bytes: number): Promise<number> {
  const stream = await newStream(index);
  const url = `${index.url}/${stream}/_doc`;
  const beganAt = performance.now();
  for (let at = 0; at < count; at++) {
    const argv = [
      '-sS',
      '-f',
      '-o',
      '/dev/null',
      '-H',
      'Content-Type: application/json',
      '-d',
      contentOf(at, bytes),
      url,
    ];
    const [code] = await once(spawn('curl', argv, { stdio: 'ignore' }), 'exit');
    if (code !== 0) throw new Error(`curl ended with ${code}`);
  }
  const seconds = (performance.now() - beganAt) / 1000;
  await index.deleteDataStream(stream);
  return count / seconds;
}

async function newStream(index: LogIndexClient): Promise<string> {
  const stream = `gateway-log-apiproxy-bench-${Date.now()}`;
  await index.createDataStream(stream);
  return stream;
}

async function fill(dataFolder: string, count: number, bytes: number): Promise<void> {
  await (await openStore({ dataFolder })).close();
  await using source = (await openUnsentSource({ dataFolder }))!;
  const records = source.records('UnsentMessage');
  for (let from = 0; from < count; from += APPENDED_AT_ONCE) {
    const length = Math.min(APPENDED_AT_ONCE, count - from);
    await records.append(
      Array.from({ length }, (_, at) => ({
        log_timestamp: '2026-01-01T00:00:00.000Z',
        connector_id: 'c0ffee',
        content: contentOf(from + at, bytes),
      })),
    );
  }
}

/** A record of the traffic log, most of it bodies. */
function contentOf(at: number, bytes: number): string {
  const head = {
    '@timestamp': new Date(Date.UTC(2026, 0, 1) + at).toISOString(),
    aci: `aci-${at}`,
    apn: 'orders',
    sc: 200,
  };
  const body = 'the body of a message, '.repeat(Math.ceil(bytes / 23)).slice(0, bytes - 150);
  return JSON.stringify({ ...head, fcrb: body.slice(0, bytes / 2), tcb: body.slice(bytes / 2) });
}

function residentBytes(pid: number): number {
  try {
    return (
      Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) * 1024
    );
  } catch {
    // It has ended since.
    return 0;
  }
}
