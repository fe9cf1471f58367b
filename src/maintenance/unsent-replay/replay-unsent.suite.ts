import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { LogIndexClient } from '../../log-index/client.ts';
import { trafficLogTemplate, trafficLogTemplateName } from '../../log-index/traffic-log-template.ts';
import type { UnsentSource } from '../../store/unsent/unsent-records.ts';
import { ReplayJournal } from '../../unsent/replay-journal.ts';
import type { OperatorConsole } from '../operator/operator-console.ts';
import { runReplayUnsent } from './run-replay-unsent.ts';
import type { ReplaySettings } from './settings.ts';

/** Where the command is proven: a kind of database, and a kind of index. */
export interface ReplayPlace {
  readonly indexUrl: string;
  /** Not every server that speaks MongoDB's protocol does. */
  readonly knowsCompact: boolean;
  /** A database of its own, without unsent collections. */
  database(): Promise<{
    readonly source: UnsentSource;
    readonly settings: Pick<ReplaySettings, 'databaseUrl' | 'data'>;
  }>;
}

const main = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));
const startOfTime = Date.UTC(2026, 0, 1);

function contentOf(index: number, members = ''): string {
  const time = new Date(startOfTime + index).toISOString();
  return `{"@timestamp":"${time}","aci":"aci-${index}"${members},"n":1234567890123456789,"z":1,"a":${index}}`;
}

const recordOf = (content: string) => ({
  log_timestamp: '2026-01-01T00:00:00.000Z',
  connector_id: 'c',
  content,
});
const contents = (count: number) => Array.from({ length: count }, (_, index) => contentOf(index));

class RecordingConsole implements OperatorConsole {
  stdout = '';
  stderr = '';
  readonly canAsk: boolean;
  readonly isTerminal = false;
  readonly hasColour = false;
  readonly #answer: string | undefined;
  readonly #onOut: ((text: string) => void) | undefined;

  constructor(answer?: string, onOut?: (text: string) => void) {
    this.#answer = answer;
    this.#onOut = onOut;
    this.canAsk = answer !== undefined;
  }

  out = (text: string) => {
    this.stdout += text;
    this.#onOut?.(text);
  };

  err = (text: string) => {
    this.stderr += text;
  };

  ask = async () => this.#answer;
}

/** Procedure B, step by step (spec 2 §4.7). */
export function describeReplayUnsent(name: string, start: () => Promise<ReplayPlace>): void {
  describe(`replay of unsent records: ${name}`, { timeout: 300_000 }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-replay-'));
    let place: ReplayPlace;
    let index: LogIndexClient;
    before(async () => {
      place = await start();
      index = new LogIndexClient({ url: place.indexUrl });
      await index.putTemplate(trafficLogTemplateName, trafficLogTemplate);
    });
    after(async () => {
      await index[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    });

    /** A database with records, a stream, a working folder, and the command on them. */
    async function scene(
      texts: readonly string[],
      collection: 'UnsentMessage' | 'log_UnsentMessage' = 'UnsentMessage',
    ) {
      const stream = `gateway-log-apiproxy-${randomUUID()}`;
      await index.createDataStream(stream);
      const { source, settings } = await place.database();
      const records = source.records(collection);
      await records.append(texts.map(recordOf));
      const workFolder = mkdtempSync(join(folder, 'work-'));
      const fixed: ReplaySettings = {
        ...defaults,
        ...settings,
        stream,
        workFolder,
        logIndexUrl: place.indexUrl,
      };
      const run = async (
        changed: Partial<ReplaySettings> = {},
        answer?: string,
        onOut?: (text: string) => void,
      ) => {
        const console = new RecordingConsole(answer, onOut);
        const code = await runReplayUnsent({ ...fixed, ...changed }, console);
        return { code, out: console.stdout, err: console.stderr };
      };
      const lines = (file: string) => {
        const path = join(workFolder, `replay-unsent.${file}.ndjson`);
        return existsSync(path)
          ? readFileSync(path, 'utf8')
              .trimEnd()
              .split('\n')
              .map((line) => JSON.parse(line))
          : [];
      };
      return {
        stream,
        source,
        records,
        workFolder,
        settings: fixed,
        run,
        lines,
        found: () => documentsOf(stream),
        [Symbol.asyncDispose]: () => source[Symbol.asyncDispose](),
      };
    }

    async function documentsOf(stream: string): Promise<string[]> {
      await index.refresh(stream);
      const { hits } = await index.search(stream, { size: 10_000, sort: [{ '@timestamp': 'asc' }] });
      return hits.hits.map(({ _source }) => String(_source!.aci));
    }

    const acis = (...numbers: number[]) => numbers.map((number) => `aci-${number}`);
    const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);

    it('sends every record, deletes what arrived, and tells of each pass', async () => {
      await using at = await scene(contents(25));
      const { code, out } = await at.run({ batchSize: 10 });
      assert.equal(code, 0, out);
      assert.deepEqual(out.match(/^deletedCount \d+$/gm), [
        'deletedCount 10',
        'deletedCount 10',
        'deletedCount 5',
      ]);
      assert.match(out, /25 records in 3 batches of 10/);
      assert.match(
        out,
        /Now run compact .* preferably on a secondary node; on a single node the collection is locked/,
      );
      assert.deepEqual(await at.found(), acis(...range(0, 25)));
      assert.equal(await at.records.count(), 0);
      assert.deepEqual(
        at.lines('backup').map(({ content }) => content),
        contents(25),
      );
      assert.equal(statSync(join(at.workFolder, 'replay-unsent.backup.ndjson')).mode & 0o777, 0o600);
      assert.equal(existsSync(join(at.workFolder, 'replay-unsent.checkpoint.json')), false);
      const again = await at.run();
      assert.equal(again.code, 0);
      assert.match(again.out, /holds no records: nothing to do/);
    });

    it('content arrives byte for byte', async () => {
      await using at = await scene([contentOf(0, ',"t":"ü \\u00fc 🏛 \\n"')]);
      assert.equal((await at.run()).code, 0);
      await index.refresh(at.stream);
      const answer = await (await fetch(`${place.indexUrl}/${at.stream}/_search`)).text();
      assert.ok(answer.includes(contentOf(0, ',"t":"ü \\u00fc 🏛 \\n"')), answer);
    });

    it('a test run ends after TEST_SIZE records and writes down which they were', async () => {
      await using at = await scene(contents(20));
      const { code, out } = await at.run({ isTest: true, testSize: 7 });
      assert.equal(code, 0, out);
      assert.match(out, /TEST of 7 records/);
      assert.deepEqual(await at.found(), acis(...range(0, 7)));
      assert.deepEqual(
        at.lines('test').map(({ aci }) => aci),
        acis(...range(0, 7)),
      );
      assert.ok(at.lines('test').every(({ _id }) => /^[0-9a-f]{24}$/.test(_id)));
      assert.equal(at.lines('backup').length, 7);
      assert.equal(await at.records.count(), 13);
      assert.equal((await at.run()).code, 0);
      assert.deepEqual(await at.found(), acis(...range(0, 20)));
    });

    it('SKIP and TOTAL_BATCHES choose from the set as it was at the start', async () => {
      await using at = await scene(contents(20));
      const { code, out } = await at.run({ skip: 5, totalBatches: 2, batchSize: 4 });
      assert.equal(code, 0, out);
      assert.deepEqual(await at.found(), acis(...range(5, 13)));
      assert.equal(await at.records.count(), 12);
      assert.match((await at.run({ skip: 12 })).out, /SKIP 12 leaves nothing of the 12 records/);
    });

    it('records that cannot be sent stay, with their reasons in the reject file; all others arrive', async () => {
      const texts = [
        contentOf(0),
        'no JSON',
        '{"aci":"x"}',
        contentOf(3),
        contentOf(4, ',"sc":"no number"'),
        contentOf(5, `,"t":"${'x'.repeat(5000)}"`),
        contentOf(6),
      ];
      await using at = await scene(texts);
      const { code, err } = await at.run({ batchSize: 3, maxRecordBytes: 4000 });
      assert.equal(code, 3);
      assert.match(
        err,
        /^ERROR: .*3 delivered, 0 were there already, 3 deleted, 4 rejected; what was rejected stays in UnsentMessage/m,
      );
      assert.deepEqual(await at.found(), acis(0, 3, 6));
      assert.equal(await at.records.count(), 4);
      const reasons = at.lines('rejects').map(({ reason }) => reason);
      assert.equal(reasons.length, 4);
      for (const expected of [/no JSON/, /no @timestamp/, /failed to parse/, /larger than 4000 bytes/])
        assert.ok(
          reasons.some((reason) => expected.test(reason)),
          `${expected} in ${reasons.join('\n')}`,
        );
    });

    it('batches are bounded by bytes too', async () => {
      await using at = await scene(contents(30));
      const { code, out } = await at.run({ batchSize: 20, batchBytes: 1000 });
      assert.equal(code, 0, out);
      assert.deepEqual(out.match(/^deletedCount \d+$/gm), ['deletedCount 20', 'deletedCount 10']);
      assert.deepEqual(await at.found(), acis(...range(0, 30)));
    });

    it('what an earlier run put there is not put there again, also behind a rollover', async () => {
      await using at = await scene(contents(6));
      const [first, second, third] = await at.records.read({ limit: 3, maxBytes: 1e6 });
      await index.create(at.stream, first!.id, JSON.parse(first!.content!));
      await index.create(at.stream, second!.id, JSON.parse(second!.content!));
      await index.rollOver(at.stream);
      await index.create(at.stream, third!.id, JSON.parse(third!.content!));
      const { code, out } = await at.run();
      assert.equal(code, 0, out);
      assert.match(out, /3 delivered, 3 were there already, 6 deleted/);
      assert.deepEqual(await at.found(), acis(...range(0, 6)));
      assert.equal(await at.records.count(), 0);
    });

    it('the pre-check looks for the first and the last record in the streams of all environments', async () => {
      await using at = await scene(contents(3));
      await using other = await scene([]);
      await index.bulk(other.stream, Buffer.from(`{"create":{}}\n${contentOf(2)}\n`), {
        query: { refresh: true },
      });
      const { code, out, err } = await at.run({ isCheck: true });
      assert.equal(code, 0, err);
      assert.match(out, /collection +UnsentMessage: 3 records, [\d.]+ \w+ on the disk/);
      assert.match(out, /first record .*aci aci-0: /);
      assert.match(out, new RegExp(`last record .*aci aci-2: .*${other.stream}`));
      assert.match(err, /WARNING: the last record is in the index already/);
      assert.match(out, /checked; nothing was changed/);
      assert.deepEqual(await at.found(), []);
      assert.equal(await at.records.count(), 3);
    });

    it('finds the collection by either name; where there are both the operator chooses', async () => {
      await using at = await scene(contents(2), 'log_UnsentMessage');
      await at.source.records('UnsentMessage').append([recordOf(contentOf(7))]);
      const both = await at.run();
      assert.equal(both.code, 2);
      assert.match(
        both.err,
        /^ERROR: .*has both UnsentMessage and log_UnsentMessage: choose one with --collection/,
      );
      assert.equal((await at.run({ collection: 'log_UnsentMessage' })).code, 0);
      assert.deepEqual(await at.found(), acis(0, 1));
    });

    it('without an unsent collection there is nothing to do', async () => {
      const { source, settings } = await place.database();
      await using _closing = source;
      const console = new RecordingConsole();
      assert.equal(
        await runReplayUnsent(
          { ...defaults, ...settings, stream: 's', logIndexUrl: place.indexUrl },
          console,
        ),
        0,
      );
      assert.match(console.stdout, /has no unsent collection: nothing to do/);
    });

    it('only yes goes on; anything else cancels and changes nothing', async () => {
      await using at = await scene(contents(2));
      const unconfirmed = { isBackupDone: false };
      const refused = await at.run(unconfirmed, 'y');
      assert.equal(refused.code, 1);
      assert.match(
        refused.out,
        /Back up the database first, without the unsent collections UnsentMessage and log_UnsentMessage/,
      );
      assert.match(refused.err, /ERROR: cancelled; nothing was changed/);
      assert.equal(await at.records.count(), 2);
      assert.equal((await at.run(unconfirmed, 'yes')).code, 0);
      assert.equal(await at.records.count(), 0);
    });

    it('where nobody can be asked it ends with an error instead of waiting', async () => {
      await using at = await scene(contents(1));
      const { code, err } = await at.run({ isBackupDone: false });
      assert.equal(code, 2);
      assert.match(err, /^ERROR: nobody can be asked/);
    });

    const mistakes: ReadonlyArray<readonly [string, Partial<ReplaySettings>, number, RegExp]> = [
      ['no stream', { stream: undefined }, 2, /--stream is required/],
      [
        'a stream that there is not',
        { stream: 'gateway-log-apiproxy-none' },
        1,
        /there is no data stream 'gateway-log-apiproxy-none'; there are /,
      ],
      ['a pattern', { stream: 'gateway-*' }, 2, /is no name of a data stream/],
      ['a backing index', { stream: '.ds-x-000001' }, 2, /is no name of a data stream/],
      [
        'an index that nobody answers for',
        { logIndexUrl: 'http://127.0.0.1:1' },
        1,
        /the index: 127\.0\.0\.1:1: /,
      ],
      [
        'a file of certificates that is not there',
        { caFile: '/none.pem' },
        2,
        /^ERROR: --ca-file cannot be read/,
      ],
      ['a working folder below a file', { workFolder: '/dev/null/x' }, 2, /x cannot be written to/],
      ['an address that is none', { logIndexUrl: 'ftp://x' }, 2, /log-index URL/],
      ['a database that nobody knows', { databaseUrl: 'postgres://x' }, 2, /must begin with mongodb/],
      ['two runs at once', { isTest: true, isCompact: true }, 2, /two different runs/],
      ['a user without a password', { logIndexUser: 'elastic' }, 2, /ES_PASS/],
    ];
    for (const [what, changed, code, message] of mistakes)
      it(`one line and the right exit code, nothing changed: ${what}`, async () => {
        await using at = await scene(contents(1));
        const ended = await at.run(changed);
        assert.equal(ended.code, code, ended.err);
        assert.match(ended.err, message);
        assert.equal(ended.err.trimEnd().split('\n').length, 1);
        assert.equal(await at.records.count(), 1);
      });

    it('a target that is blocked is told of before anything is sent', async () => {
      await using at = await scene(contents(3));
      const [stream] = await index.dataStreams(at.stream);
      await index.changeSettings(stream!.indices.at(-1)!.index_name, { 'index.blocks.write': true });
      const { code, err } = await at.run();
      assert.equal(code, 1);
      assert.match(err, /ERROR: .*has the block write: lift it first/);
      assert.equal(await at.records.count(), 3);
    });

    it('an index or alias is no data stream: the order is wrong', async () => {
      await using at = await scene(contents(1));
      const plain = `plain-${randomUUID()}`;
      await index.call('PUT', `/${plain}`);
      const { code, err } = await at.run({ stream: plain });
      assert.equal(code, 2, err);
      assert.match(err, /^ERROR: 'plain-.*' is no data stream, but an index or alias\n$/);
      assert.equal(await at.records.count(), 1);
    });

    it('a password that is asked for and not given cancels', async () => {
      await using at = await scene(contents(1));
      const { code, err } = await at.run({ logIndexUser: 'elastic' }, '');
      assert.equal(code, 1, err);
      assert.match(err, /^ERROR: cancelled: there is no password; nothing was changed\n$/);
    });

    it('another replay of the same database is waited for by nobody: the second is refused', async () => {
      await using at = await scene(contents(3));
      const note = {
        holder: 'manager pod-1 1 x',
        expiresAtMs: Date.now() + 60_000,
        isEndWanted: false,
        report: '{}',
      };
      await at.source.turn.take(note, Date.now());
      const { code, err } = await at.run();
      assert.equal(code, 1);
      assert.match(err, /another replay is running \(manager pod-1 1\)/);
      assert.equal(await at.records.count(), 3);
    });

    it('an unfinished run is gone on with, and not taken for another', async () => {
      await using at = await scene(contents(10));
      const waiting = await at.records.read({ limit: 10, maxBytes: 1e6 });
      const order = {
        source: at.source.name,
        collection: 'UnsentMessage',
        stream: at.stream,
        isTest: false,
        batchSize: 2,
        limit: 10,
        through: waiting[8]!.key,
      };
      const counters = { read: 4, delivered: 4, duplicates: 0, rejected: 0, deleted: 4 };
      await new ReplayJournal(at.workFolder).save({ format: 1, order, after: waiting[3]!.key, counters });
      const other = await at.run({ isTest: true });
      assert.equal(other.code, 2);
      assert.match(other.err, /unfinished run with another isTest/);
      const { code, out } = await at.run();
      assert.equal(code, 0, out);
      assert.match(out, /resumes +4 of 10 are done/);
      assert.deepEqual(await at.found(), acis(...range(4, 9)), 'from the checkpoint to the end of its set');
      assert.equal((await at.run({ isRestart: true })).code, 0);
      assert.equal(await at.records.count(), 0);
    });

    it('a run that was killed behind its last delete is over: what came since is replayed', async () => {
      await using at = await scene(contents(6));
      const waiting = await at.records.read({ limit: 6, maxBytes: 1e6 });
      const order = {
        source: at.source.name,
        collection: 'UnsentMessage',
        stream: at.stream,
        isTest: true,
        batchSize: 2,
        limit: 4,
        through: waiting[3]!.key,
      };
      await at.records.delete(waiting.slice(0, 4).map(({ key }) => key));
      const journal = new ReplayJournal(at.workFolder);
      for (const [read, sent] of [
        [2, [4]],
        [4, [4, 5]],
      ] as const) {
        const counters = { read, delivered: read, duplicates: 0, rejected: 0, deleted: read };
        await journal.save({ format: 1, order, after: waiting[read - 1]!.key, counters });
        const { code, out, err } = await at.run({ batchSize: 1, totalBatches: 1 });
        assert.equal(code, 0, err);
        assert.doesNotMatch(out, /resumes/);
        assert.deepEqual(await at.found(), acis(...sent));
      }
    });

    for (const text of ['{', 'null', '{}', '{"format":2}'])
      it(`a checkpoint that is none is told in one line, and forgotten when asked to: ${text}`, async () => {
        await using at = await scene(contents(1));
        writeFileSync(new ReplayJournal(at.workFolder).pathOf('checkpoint'), text);
        const { code, err } = await at.run();
        assert.equal(code, 2, err);
        assert.match(err, /^ERROR: .* is no checkpoint of a replay: forget it with --restart\n$/);
        assert.equal(await at.records.count(), 1);
        assert.equal((await at.run({ isRestart: true })).code, 0);
        assert.deepEqual(await at.found(), acis(0));
      });

    it('stops at the first failure of the target and loses nothing; the next run goes on', async () => {
      const count = 400;
      await using at = await scene(contents(count));
      const [stream] = await index.dataStreams(at.stream);
      const written = stream!.indices.at(-1)!.index_name;
      let blocking: Promise<void> | undefined;
      const { code, err } = await at.run({ batchSize: 2 }, undefined, (text) => {
        if (text.includes('deletedCount'))
          blocking ??= index.changeSettings(written, { 'index.blocks.write': true });
      });
      await blocking;
      assert.equal(code, 3, err);
      assert.match(err, /^ERROR: stopped: .*block.*nothing is lost: run the same command again to go on$/m);
      const [arrived, waiting] = [(await at.found()).length, await at.records.count()];
      assert.ok(
        arrived > 0 && waiting > 0 && arrived + waiting >= count,
        `${arrived} arrived, ${waiting} wait`,
      );
      await index.changeSettings(written, { 'index.blocks.write': null });
      const again = await at.run({ batchSize: 50 });
      assert.equal(again.code, 0, again.err);
      assert.match(again.out, /resumes +\d+ of 400 are done/);
      assert.deepEqual(await at.found(), acis(...range(0, count)));
      assert.equal(await at.records.count(), 0);
    });

    it('an answer that gets lost in any phase is survived, or told of: nothing is lost, nothing is there twice', async () => {
      let lost = 0;
      for (let call = 1; ; call++) {
        await using at = await scene(contents(4));
        await using proxy = await startLosingProxy(place.indexUrl, call);
        const { code, err } = await at.run({ batchSize: 2, logIndexUrl: proxy.url });
        if (code !== 0) assert.match(err, /^ERROR: .+$/m);
        if (code !== 0) assert.equal((await at.run()).code, 0);
        assert.deepEqual(await at.found(), acis(0, 1, 2, 3), `answer ${call} was lost`);
        assert.equal(await at.records.count(), 0);
        if (!proxy.hasLost()) break;
        lost++;
      }
      assert.ok(lost >= 10, `${lost} answers`);
    });

    it('a wrong password is told in one line', async () => {
      await using at = await scene(contents(1));
      await using proxy = await startLosingProxy(place.indexUrl, 0, 401);
      const { code, err } = await at.run({
        logIndexUrl: proxy.url,
        logIndexUser: 'me',
        logIndexPassword: 'tell-nobody',
      });
      assert.equal(code, 1);
      assert.match(err, /^ERROR: the index: .+\n$/);
      assert.doesNotMatch(err, /tell-nobody/);
      assert.equal(await at.records.count(), 1);
    });

    it('says all of it in one JSON object', async () => {
      await using at = await scene(contents(3));
      const { code, out } = await at.run({ isJson: true });
      assert.equal(code, 0);
      const { exitCode, end, delivered, deleted, rejected, remaining } = JSON.parse(out);
      assert.deepEqual(
        { exitCode, end, delivered, deleted, rejected, remaining },
        { exitCode: 0, end: 'finished', delivered: 3, deleted: 3, rejected: 0, remaining: 0 },
      );
    });

    it('compact wants the collection empty, warns of what it locks, and tells what it gained', async () => {
      await using at = await scene(contents(3));
      const compact = { isCompact: true, isConfirmed: true };
      const refused = await at.run(compact);
      assert.equal(refused.code, 2);
      assert.match(refused.err, /still holds 3 records/);
      assert.equal((await at.run()).code, 0);
      const { code, out, err } = await at.run(compact);
      assert.match(err, /WARNING: it is better run on a secondary node/);
      assert.match(err, /WARNING: on a single node the collection is locked/);
      if (place.knowsCompact) {
        assert.equal(code, 0, err);
        assert.match(out, /^compacted: .* before, .* after$/m);
      } else {
        assert.equal(code, 1);
        assert.match(err, /^ERROR: .*compact/m);
      }
    });

    it('killed again and again it loses nothing and duplicates nothing', async (test) => {
      const count = 3000;
      await using at = await scene(contents(count));
      const argv = argvOf(at.settings);
      let kills = 0;
      for (;;) {
        const child = spawn(process.execPath, [main, 'replay-unsent', ...argv], {
          cwd: at.workFolder,
          env: { PATH: process.env.PATH, BATCH_SIZE: '100', BACKUP_DONE: 'true' },
          stdio: ['ignore', 'pipe', 'pipe'],
        });
        const ended = await killedAfterAPass(child, kills < 8 ? 2 + ((kills * 17) % 40) : undefined);
        if (ended.isKilled) kills++;
        else {
          assert.equal(ended.code, 0, ended.said);
          break;
        }
        // What would let an id in a second time, were it not asked for first.
        if (kills % 2 === 0) await index.rollOver(at.stream);
      }
      test.diagnostic(`${kills} kills`);
      assert.ok(kills >= 3, `only ${kills} kills`);
      assert.equal(await at.records.count(), 0);
      const arrived = await at.found();
      assert.equal(arrived.length, count);
      assert.equal(new Set(arrived).size, count);
      const kept = new Set(at.lines('backup').map(({ content }) => content));
      assert.equal(kept.size, count, 'everything that was deleted stands in the backup file');
    });
  });
}

/** Stands before the index and loses one answer, counted from 1, after the index has done what it was asked for. */
async function startLosingProxy(target: string, losesAnswer: number, status?: number) {
  let calls = 0;
  const server = createServer(async (request, response) => {
    const isLost = ++calls === losesAnswer;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (status !== undefined) return response.writeHead(status).end();
    const { method = 'GET', headers } = request;
    const answer = await fetch(target + request.url, {
      method,
      ...(chunks.length > 0 && {
        body: Buffer.concat(chunks),
        headers: { 'content-type': headers['content-type']! },
      }),
    });
    const body = Buffer.from(await answer.arrayBuffer());
    if (isLost) return request.socket.destroy();
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hasLost: () => losesAnswer > 0 && calls >= losesAnswer,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Kills it a moment after it told of its first pass; without a moment it may come to its end. */
async function killedAfterAPass(child: ChildProcess, momentMs: number | undefined) {
  let said = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const passed = new Promise<void>((resolve) => {
    child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (text.includes('deletedCount')) resolve();
    });
  });
  const closed = once(child, 'close');
  await Promise.race([passed, closed]);
  if (momentMs !== undefined && child.exitCode === null) {
    await delay(momentMs);
    child.kill('SIGKILL');
  }
  await closed;
  return { isKilled: child.signalCode === 'SIGKILL', code: child.exitCode, said };
}

function argvOf({ databaseUrl, data, stream, logIndexUrl }: ReplaySettings): string[] {
  const database = databaseUrl === undefined ? ['--data', data] : ['--database-url', databaseUrl];
  return [...database, '--stream', stream!, '--log-index-url', logIndexUrl];
}

const defaults: ReplaySettings = {
  databaseUrl: undefined,
  data: '/nowhere',
  collection: undefined,
  stream: undefined,
  logIndexUrl: '',
  logIndexUser: undefined,
  logIndexPassword: undefined,
  isInsecure: false,
  caFile: undefined,
  testSize: 150,
  batchSize: 1000,
  totalBatches: undefined,
  skip: 0,
  batchBytes: 2 ** 20,
  maxRecordBytes: 2 ** 20,
  workFolder: '.',
  isCheck: false,
  isTest: false,
  isCompact: false,
  isForced: false,
  isRestart: false,
  isBackupDone: true,
  isConfirmed: false,
  isJson: false,
};
