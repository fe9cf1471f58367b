import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { LogIndexClient } from '../../log-index/client.ts';
import { trafficLogTemplate } from '../../log-index/traffic-log-template.ts';
import type { LogIndexServer } from '../../log-index/wire.suite.ts';
import { OperatorFailure } from '../operator/operator-failure.ts';
import { runsOn } from './running-task.ts';
import {
  type CleanupSession,
  quickClock,
  type SessionOptions,
  type Variables,
  WorkingDirectory,
} from './testing/cleanup-session.ts';
import { type Fate, type IndexProxy, type SeenCall, startIndexProxy } from './testing/index-proxy.ts';

const day = (n: number) => `2026-01-0${n}T12:00:00.000Z`;
const everything = { match_all: {} };

/** A batch of two, and then two seconds to wait. */
const slow = ['--batch-size', '2', '--requests-per-second', '1'];

const records = [
  { '@timestamp': day(1), apn: 'orders', api: 'p1', fcrb: 'body', tcb: 'answer' },
  { '@timestamp': day(2), apn: 'orders', api: 'p1', fcrb: '', tcb: 'answer' },
  { '@timestamp': day(3), apn: 'users', api: 'p2', fcrb: null, tcb: 'answer' },
  { '@timestamp': day(4), apn: 'users', api: 'p2', tcb: 'answer' },
];

/** The tool against an index: the same for the embedded one and for a real engine. */
export function describeIndexCleanup(name: string, start: () => Promise<LogIndexServer>): void {
  describe(`index cleanup: ${name}`, () => {
    let server: LogIndexServer;
    let client: LogIndexClient;
    const prefix = `cleanup-${randomUUID().slice(0, 8)}`;
    const opened = new AsyncDisposableStack();
    let made = 0;

    before(async () => {
      server = await start();
      client = new LogIndexClient({ url: server.url });
      const { template, ...rest } = trafficLogTemplate;
      await client.putTemplate(prefix, {
        ...rest,
        index_patterns: [`${prefix}-stream-*`],
        template: { ...template, settings: { ...template.settings, 'index.number_of_replicas': 0 } },
      });
    });
    after(async () => {
      await opened.disposeAsync();
      await client.close();
      await server.stop();
    });

    /** An index with these documents, under the ids 1, 2, …. */
    async function indexWith(documents: readonly object[] = records): Promise<string> {
      const index = `${prefix}-index-${++made}`;
      const keyword = { type: 'keyword' };
      const kept = { type: 'object', enabled: false };
      const properties = {
        '@timestamp': { type: 'date' },
        apn: keyword,
        api: keyword,
        fcrb: kept,
        tcb: kept,
      };
      const settings = { number_of_shards: 1, number_of_replicas: 0 };
      await client.call('PUT', `/${index}`, { body: { settings, mappings: { properties } } });
      await client.bulk(index, linesOf(documents));
      await client.refresh(index);
      return index;
    }

    async function streamWith(documents: readonly object[]): Promise<{ stream: string; backing: string }> {
      const stream = `${prefix}-stream-${++made}`;
      await client.createDataStream(stream);
      await client.bulk(stream, linesOf(documents));
      await client.refresh(stream);
      const [found] = await client.dataStreams(stream);
      return { stream, backing: found!.indices[0]!.index_name };
    }

    async function sources(index: string): Promise<Record<string, Record<string, unknown>>> {
      await client.refresh(index);
      const { hits } = await client.search(index, { size: 1000 });
      return Object.fromEntries(hits.hits.map(({ _id, _source }) => [_id, { ..._source }]));
    }

    const writeBlockOf = async (index: string) =>
      (await client.settings(index)).get(index)?.['index.blocks.write'];

    /** What the tool did, with the calls as a recorder between it and the index saw them. */
    interface Recorded extends CleanupSession {
      readonly calls: readonly SeenCall[];
      readonly directory: WorkingDirectory;
      readonly proxy: IndexProxy;
    }

    interface CleanOptions extends SessionOptions {
      readonly fateOf?: (call: SeenCall, proxy: IndexProxy) => Fate | Promise<Fate>;
      /** Where an earlier run was. */
      readonly directory?: WorkingDirectory;
      readonly proxy?: IndexProxy;
    }

    async function clean(variables: Variables, options: CleanOptions = {}): Promise<Recorded> {
      const proxy: IndexProxy =
        options.proxy ??
        (await startIndexProxy(server.url, { fateOf: (call) => options.fateOf?.(call, proxy) ?? 'pass' }));
      const directory = options.directory ?? new WorkingDirectory();
      opened.use(proxy);
      opened.use(directory);
      const given = { ES_HOST: proxy.host, ES_PROTO: 'http', SKIP_CONFIRM: 'true', ...variables };
      const session = await directory.run(given, options);
      return { ...session, calls: proxy.calls, directory, proxy };
    }

    /** The run is at work, and has done at least so much. */
    async function untilUpdated(index: string, count: number): Promise<void> {
      for (let attempt = 0; attempt < 500; attempt++) {
        const { nodes } = await client.tasks('*byquery');
        const tasks = Object.values(nodes).flatMap(({ tasks: found }) => Object.values(found));
        const task = tasks.find(({ description }) => description?.includes(`[${index}]`));
        if ((task?.status?.updated ?? 0) >= count) return;
        await delay(20);
      }
      assert.fail('the run never got so far');
    }

    const pathOf = (path: string) => path.split('?')[0]!;
    const isCallOf = (action: string) => (call: SeenCall) => pathOf(call.path).endsWith(action);

    describe('scope', () => {
      const scopes: Array<[what: string, variables: Variables, ids: string]> = [
        ['everything', {}, '1234'],
        ['an API proxy by name', { PROXY_VALUE: 'orders' }, '12'],
        ['an API proxy by id', { PROXY_FIELD: 'api', PROXY_VALUE: 'p2' }, '34'],
        ['a time, both ends in it', { START_TS: day(2), END_TS: day(3) }, '23'],
        ['both', { PROXY_VALUE: 'orders', START_TS: day(2), END_TS: day(4) }, '2'],
      ];
      for (const [what, variables, ids] of scopes) {
        it(`${what}: only documents in it are deleted`, async () => {
          const index = await indexWith();
          const { exitCode, directory } = await clean({ INDEX: index, DELETE_DOCS: 'true', ...variables });
          assert.equal(exitCode, 0);
          const left = Object.keys(await sources(index))
            .sort()
            .join('');
          assert.equal(left, [...'1234'].filter((id) => !ids.includes(id)).join(''));
          const { total, deleted } = directory.json('delete_result.json');
          assert.deepEqual([total, deleted], [ids.length, ids.length]);
        });
      }
    });

    describe('fields', () => {
      it('are removed where they are; documents without them stay untouched, and so does everything the second time', async () => {
        const index = await indexWith();
        const first = await clean({ INDEX: index, FIELDS: 'fcrb, tcb', FIELD_MODE: 'remove' });
        assert.equal(first.exitCode, 0);
        for (const source of Object.values(await sources(index)))
          assert.deepEqual(Object.keys(source).sort(), ['@timestamp', 'api', 'apn']);
        const again = await clean({ INDEX: index, FIELDS: 'fcrb,tcb' });
        const { total, updated, noops } = again.directory.json('update_result.json');
        assert.deepEqual([again.exitCode, total, updated, noops], [0, 4, 0, 4]);
      });

      it('become empty where they are there and are not empty yet', async () => {
        const index = await indexWith();
        const { exitCode, directory } = await clean({ INDEX: index, FIELDS: 'fcrb', FIELD_MODE: 'empty' });
        assert.equal(exitCode, 0);
        const found = await sources(index);
        assert.deepEqual(
          Object.entries(found).map(([id, source]) => [id, source.fcrb]),
          [
            ['1', ''],
            ['2', ''],
            ['3', ''],
            ['4', undefined],
          ],
        );
        const { total, updated, noops, version_conflicts, failures } = directory.json('update_result.json');
        assert.deepEqual([total, updated, noops, version_conflicts, failures], [4, 2, 2, 0, []]);
        const again = await clean({ INDEX: index, FIELDS: 'fcrb', FIELD_MODE: 'empty' });
        assert.equal(again.directory.json('update_result.json').noops, 4);
      });

      it('that the mapping does not know are told: a wrong name would make every document a noop', async () => {
        const index = await indexWith();
        const { exitCode, warnings } = await clean({
          INDEX: index,
          FIELDS: 'fcrb,requestBody',
          DRY_RUN: 'true',
        });
        assert.equal(exitCode, 0);
        assert.match(warnings.join('\n'), /no field requestBody: names in FIELDS must equal the source keys/);
      });
    });

    describe('before acting', () => {
      it('counts, tells the plan with the snapshot advice, and wants the exact answer yes', async () => {
        const index = await indexWith();
        const variables = { INDEX: index, DELETE_DOCS: 'true', PROXY_VALUE: 'orders', SKIP_CONFIRM: '' };
        for (const answer of ['y', 'YES', 'yes ', '', undefined]) {
          const { exitCode, errors, questions, calls, out } = await clean(variables, { answers: [answer] });
          assert.deepEqual([exitCode, errors.length], [1, 1], String(answer));
          assert.match(errors[0]!, /cancelled; nothing was changed/);
          assert.deepEqual(questions, ["Type 'yes' to continue: "]);
          assert.match(out, /Documents +2 in scope/);
          assert.match(out, /This cannot be undone\. Take a snapshot first\./);
          assert.match(out, /Snapshot +latest: none/);
          assert.deepEqual(calls.filter(isChanging), []);
        }
        assert.equal((await clean(variables, { answers: ['yes'] })).exitCode, 0);
        assert.equal(Object.keys(await sources(index)).length, 2);
      });

      it('nothing in scope is nothing to do', async () => {
        const index = await indexWith();
        await client.blockWrites(index);
        const { exitCode, out, calls, directory } = await clean({
          INDEX: index,
          FIELDS: 'fcrb',
          PROXY_VALUE: 'none',
        });
        assert.equal(exitCode, 0);
        assert.match(out, /Nothing to do/);
        assert.deepEqual(calls.filter(isChanging), []);
        assert.deepEqual(directory.files(), []);
      });

      it('a dry run writes nothing at all and prints query and script', async () => {
        const index = await indexWith();
        await client.blockWrites(index);
        const { exitCode, out, calls, directory } = await clean({
          INDEX: index,
          FIELDS: 'fcrb',
          PROXY_VALUE: 'orders',
          DRY_RUN: 'true',
          SKIP_CONFIRM: '',
        });
        assert.equal(exitCode, 0);
        for (const { method, path } of calls)
          assert.ok(method === 'GET' || path === `/${index}/_count`, `${method} ${path}`);
        assert.ok(calls.some(isCallOf('_count')));
        assert.match(out, /"term": \{\s+"apn": "orders"/);
        assert.match(out, /ctx\._source\.remove\(field\)/);
        assert.match(out, /\{"fields":\["fcrb"\]\}/);
        assert.match(out, /Dry run: nothing was changed/);
        assert.deepEqual(directory.files(), []);
        assert.equal(await writeBlockOf(index), 'true');
      });
    });

    describe('the run', () => {
      it('proceeds at conflicts, waits for completion, and writes its results', async () => {
        const index = await indexWith();
        const { exitCode, calls, directory, out } = await clean({ INDEX: index, FIELDS: 'fcrb,tcb' });
        assert.equal(exitCode, 0);
        const run = calls.find(isCallOf('_update_by_query'))!;
        assert.equal(
          run.path,
          `/${index}/_update_by_query?conflicts=proceed&wait_for_completion=true&refresh=true`,
        );
        assert.match(String(run.headers['x-opaque-id']), /^gatehouse-index-cleanup-/);
        assert.deepEqual(JSON.parse(run.body).query, everything);
        const merge = calls.find(isCallOf('_forcemerge'))!;
        assert.equal(merge.path, `/${index}/_forcemerge?only_expunge_deletes=true`);
        assert.deepEqual(directory.files(), ['forcemerge_result.json', 'update_result.json']);
        assert.equal(directory.json('forcemerge_result.json')._shards.failed, 0);
        assert.match(out, /total 4, updated 4, deleted 0, noops 0, version_conflicts 0, failures 0/);
        assert.match(out, /_shards\.failed 0; disk space may not be freed immediately/);
        assert.match(out, /size before: .+\n.*size after: /);
      });

      it('makes no force merge when it is told not to', async () => {
        const index = await indexWith();
        const { exitCode, calls, directory } = await clean({
          INDEX: index,
          DELETE_DOCS: 'true',
          FORCE_MERGE: 'false',
        });
        assert.equal(exitCode, 0);
        assert.equal(calls.some(isCallOf('_forcemerge')), false);
        assert.deepEqual(directory.files(), ['delete_result.json']);
      });

      it('as a task of the index has the same result', async () => {
        const waited = await clean({ INDEX: await indexWith(), FIELDS: 'fcrb' });
        const index = await indexWith();
        const asked = await clean({ INDEX: index, FIELDS: 'fcrb' }, { flags: ['--async'] });
        assert.equal(asked.exitCode, 0);
        assert.match(asked.calls.find(isCallOf('_update_by_query'))!.path, /wait_for_completion=false/);
        const [one, other] = [waited, asked].map(({ directory }) => directory.json('update_result.json'));
        assert.deepEqual(Object.keys(other).sort(), Object.keys(one).sort());
        assert.deepEqual({ ...other, took: 0 }, { ...one, took: 0 });
      });

      it('takes slices, a throttle and a batch size', async () => {
        const index = await indexWith();
        const flags = ['--slices', '2', '--requests-per-second', '500', '--batch-size', '2'];
        const { exitCode, calls, directory, out } = await clean({ INDEX: index, FIELDS: 'tcb' }, { flags });
        assert.equal(exitCode, 0);
        const { path } = calls.find(isCallOf('_update_by_query'))!;
        assert.match(path, /&slices=2&requests_per_second=500&scroll_size=2$/);
        assert.ok(out.includes(`POST ${path}\n`), 'the plan announces the call as it is made');
        assert.equal(directory.json('update_result.json').updated, 4);
      });

      it('says everything in one object for machines', async () => {
        const index = await indexWith();
        const { out, err, exitCode } = await clean({ INDEX: index, FIELDS: 'fcrb' }, { flags: ['--json'] });
        const told = JSON.parse(out);
        assert.deepEqual([told.status, told.exitCode, exitCode, told.count], ['done', 0, 0, 4]);
        assert.deepEqual([told.result.updated, told.result.noops], [3, 1]);
        assert.equal(told.forceMerge._shards.failed, 0);
        assert.ok(told.before.bytes > 0 && told.after.bytes > 0);
        assert.match(err, /Traffic-log index cleanup/);
      });

      it('goes over what was in conflict again until nothing is', async () => {
        const index = await indexWith();
        let runs = 0;
        const conflicting = async (call: SeenCall): Promise<Fate> => {
          if (!isCallOf('_update_by_query')(call) || ++runs > 1) return 'pass';
          return {
            status: 200,
            body: byQueryAnswer({ total: 4, updated: 1, noops: 1, version_conflicts: 2 }),
          };
        };
        const { exitCode, directory } = await clean(
          { INDEX: index, FIELDS: 'fcrb' },
          { fateOf: conflicting },
        );
        const result = directory.json('update_result.json');
        assert.deepEqual(
          [exitCode, result.total, result.updated, result.version_conflicts, result.passes.length],
          [0, 4, 4, 0, 2],
        );
      });

      it('ends partly done when conflicts are left after the last pass', async () => {
        const index = await indexWith();
        const { exitCode, errors, calls } = await clean(
          { INDEX: index, FIELDS: 'fcrb' },
          {
            flags: ['--max-passes', '2'],
            fateOf: (call) =>
              isCallOf('_update_by_query')(call)
                ? {
                    status: 200,
                    body: byQueryAnswer({ total: 4, updated: 1, noops: 1, version_conflicts: 2 }),
                  }
                : 'pass',
          },
        );
        assert.equal(exitCode, 3);
        assert.match(errors[0]!, /^2 documents were changed by others/);
        assert.equal(calls.filter(isCallOf('_update_by_query')).length, 2);
        assert.equal(calls.some(isCallOf('_forcemerge')), false);
      });
    });

    describe('write block', () => {
      it('is lifted before and restored after the force merge', async () => {
        const index = await indexWith();
        await client.blockWrites(index);
        const { exitCode, calls, directory, out } = await clean({ INDEX: index, FIELDS: 'fcrb' });
        assert.equal(exitCode, 0);
        assert.match(out, /Write block +set: lifted before, restored afterwards/);
        assert.deepEqual(
          calls.filter(isChanging).map(({ method, path }) => `${method} ${pathOf(path).replace(index, 'i')}`),
          ['PUT /i/_settings', 'POST /i/_update_by_query', 'POST /i/_forcemerge', 'PUT /i/_block/write'],
        );
        assert.equal(await writeBlockOf(index), 'true');
        assert.equal(directory.json('update_result.json').updated, 3);
        assert.deepEqual(directory.files(), ['forcemerge_result.json', 'update_result.json']);
      });

      for (const value of [false, null]) {
        it(`that is ${value === null ? 'absent' : 'false'} stays so`, async () => {
          const index = await indexWith();
          await client.changeSettings(index, { 'index.blocks.write': value });
          const { exitCode, calls } = await clean({ INDEX: index, FIELDS: 'fcrb' });
          assert.equal(exitCode, 0);
          assert.equal(
            calls.some(({ method }) => method === 'PUT'),
            false,
          );
          assert.equal(await writeBlockOf(index), value === null ? undefined : 'false');
        });
      }

      it('is restored when the run fails', async () => {
        const index = await indexWith();
        await client.blockWrites(index);
        const { exitCode, errors } = await clean(
          { INDEX: index, FIELDS: 'fcrb' },
          {
            fateOf: (call) =>
              isCallOf('_update_by_query')(call)
                ? {
                    status: 400,
                    body: { error: { type: 'script_exception', reason: 'compile error' }, status: 400 },
                  }
                : 'pass',
          },
        );
        assert.deepEqual([exitCode, errors.length], [1, 1]);
        assert.match(errors[0]!, /status 400.*compile error/);
        assert.equal(await writeBlockOf(index), 'true');
      });

      it('that a crashed run left lifted is put back by the next run, whatever that run does', async () => {
        const index = await indexWith();
        await client.blockWrites(index);
        const crashed = await clean(
          { INDEX: index, FIELDS: 'fcrb' },
          {
            // From the run on nobody answers any more: as good as a crash, seen from the index.
            fateOf: (call, proxy) => {
              if (isCallOf('_update_by_query')(call)) proxy.setAway(true);
              return isCallOf('_update_by_query')(call) ? 'cut-before' : 'pass';
            },
            pace: { patienceMs: 50 },
            clock: quickClock,
          },
        );
        assert.equal(crashed.exitCode, 3);
        assert.match(crashed.errors.at(-1)!, /the write block is not restored/);
        assert.equal(await writeBlockOf(index), 'false');
        assert.equal(crashed.directory.files().filter((file) => file.startsWith('write_block_')).length, 1);
        const { directory, proxy } = crashed;
        proxy.setAway(false);
        const dry = await clean({ INDEX: index, FIELDS: 'fcrb', DRY_RUN: 'true' }, { directory, proxy });
        assert.match(dry.warnings.join('\n'), /a run would put it back/);
        assert.equal(await writeBlockOf(index), 'false');
        const next = await clean({ INDEX: index, FIELDS: 'fcrb', PROXY_VALUE: 'none' }, { directory, proxy });
        assert.match(next.warnings.join('\n'), /left the write block lifted; it is put back now/);
        assert.deepEqual([next.exitCode, await writeBlockOf(index)], [0, 'true']);
        assert.equal(
          directory.files().some((file) => file.startsWith('write_block_')),
          false,
        );
      });

      const otherBlocks: Array<[block: string, says: RegExp]> = [
        ['read_only', /^the index is read-only \(index\.blocks\.read_only\)/],
        ['read_only_allow_delete', /^the index has the flood-stage block/],
      ];
      for (const [block, says] of otherBlocks) {
        it(`${block} is not lifted: the operator is told`, async () => {
          const index = await indexWith();
          await client.changeSettings(index, { [`index.blocks.${block}`]: true });
          const { exitCode, errors, calls } = await clean({ INDEX: index, DELETE_DOCS: 'true' });
          assert.deepEqual([exitCode, errors.length], [1, 1]);
          assert.match(errors[0]!, says);
          assert.deepEqual(calls.filter(isChanging), []);
          const dry = await clean({ INDEX: index, DELETE_DOCS: 'true', DRY_RUN: 'true' });
          assert.equal(dry.exitCode, 0);
          assert.match(dry.warnings.join('\n'), /a run would stop here/);
          await client.changeSettings(index, { [`index.blocks.${block}`]: null });
        });
      }
    });

    describe('interrupted', () => {
      const many = Array.from({ length: 60 }, () => ({ apn: 'a', fcrb: 'x', '@timestamp': day(1) }));

      for (const form of ['waiting', '--async']) {
        it(`(${form}) cancels the run on the index, restores the block, and says that it is partly done`, async () => {
          const index = await indexWith(many);
          await client.blockWrites(index);
          const controller = new AbortController();
          const ending = clean(
            { INDEX: index, FIELDS: 'fcrb' },
            { flags: form === 'waiting' ? slow : [...slow, form], signal: controller.signal },
          );
          await untilUpdated(index, 2);
          controller.abort(new OperatorFailure('interrupted by SIGINT'));
          const { exitCode, errors, calls, directory } = await ending;
          assert.equal(exitCode, 3);
          assert.match(errors[0]!, /^the run was cancelled \(by user request\)/);
          assert.equal(calls.some(isCallOf('/_cancel')), true);
          assert.equal(calls.some(isCallOf('_forcemerge')), false);
          assert.equal(await writeBlockOf(index), 'true');
          const { updated, canceled } = directory.json('update_result.json');
          assert.equal(canceled, 'by user request');
          assert.ok(updated >= 2 && updated < 60, String(updated));
        });
      }

      it('before anything was done changes nothing', async () => {
        const index = await indexWith();
        const controller = new AbortController();
        const { exitCode, calls } = await clean(
          { INDEX: index, DELETE_DOCS: 'true' },
          {
            signal: controller.signal,
            fateOf: (call) => {
              if (isCallOf('_count')(call)) controller.abort(new OperatorFailure('interrupted by SIGINT'));
              return 'pass';
            },
          },
        );
        assert.equal(exitCode, 1);
        assert.deepEqual(calls.filter(isChanging), []);
        assert.equal(Object.keys(await sources(index)).length, 4);
      });

      it('and started again, it follows the run that is still going on', async () => {
        const index = await indexWith(many);
        await client.blockWrites(index);
        const variables = { INDEX: index, FIELDS: 'fcrb' };
        let runs = 0;
        let leaving: Promise<void> | undefined;
        const left = await clean(variables, {
          flags: slow,
          fateOf: (call, proxy) => {
            if (isCallOf('_update_by_query')(call) && runs++ === 0)
              leaving = untilUpdated(index, 2).then(() => proxy.setAway(true));
            return 'pass';
          },
          pace: { patienceMs: 50 },
          clock: quickClock,
        });
        assert.equal(left.exitCode, 3);
        assert.equal(await writeBlockOf(index), 'false');
        await leaving;
        const { directory, proxy } = left;
        proxy.setAway(false);
        const following = clean(variables, { directory, proxy });
        const seen = proxy.calls.length;
        while (!proxy.calls.slice(seen).some(isCallOf('_count'))) await delay(20);
        const [task] = await runsOn(client, index);
        await client.rethrottle(task!.id, -1);
        const again = await following;
        assert.equal(again.exitCode, 0, again.err);
        assert.match(again.out, /Going on +task \S+ of an earlier start/);
        assert.match(again.warnings.join('\n'), /it is restored when that run is over/);
        assert.equal(await writeBlockOf(index), 'true');
        for (const source of Object.values(await sources(index))) assert.equal('fcrb' in source, false);
      });

      it('another run on the same index is not mixed up with: nothing is done', async () => {
        const index = await indexWith(many);
        const task = await client.startDeleteByQuery(index, {
          query: everything,
          requestsPerSecond: 1,
          scrollSize: 1,
        });
        const { exitCode, errors, calls } = await clean({ INDEX: index, FIELDS: 'fcrb' });
        await client.cancelTask(task);
        assert.deepEqual([exitCode, errors.length], [1, 1]);
        assert.match(
          errors[0]!,
          /^another run is changing this index \(indices:data\/write\/delete\/byquery, task /,
        );
        assert.deepEqual(calls.filter(isChanging), []);
      });
    });

    describe('data streams', () => {
      it('are refused with the list of their backing indices', async () => {
        const { stream, backing } = await streamWith(records);
        const { new_index: newest } = await client.rollOver(stream);
        const { exitCode, errors, calls } = await clean({ INDEX: stream, DELETE_DOCS: 'true' });
        assert.equal(exitCode, 2);
        assert.ok(errors[0]!.includes(`${backing}, ${newest} (newest, receives writes)`));
        assert.deepEqual(calls.filter(isChanging), []);
      });

      it('are cleaned by backing index; the newest comes with a warning', async () => {
        const { stream, backing } = await streamWith(records);
        const newest = await clean({ INDEX: backing, FIELDS: 'fcrb' });
        assert.equal(newest.exitCode, 0);
        assert.match(newest.warnings.join('\n'), /newest backing index of \S+ and receives writes/);
        assert.equal(newest.directory.json('update_result.json').updated, 3);
        await client.rollOver(stream);
        const older = await clean({ INDEX: backing, FIELDS: 'tcb' });
        assert.deepEqual([older.exitCode, older.warnings], [0, []]);
        assert.equal(older.directory.json('update_result.json').updated, 4);
      });
    });

    it('an index that is not there is one clear line', async () => {
      const { exitCode, errors, calls } = await clean({ INDEX: `${prefix}-nowhere`, DELETE_DOCS: 'true' });
      assert.deepEqual([exitCode, errors], [1, [`there is no index '${prefix}-nowhere' (INDEX)`]]);
      assert.deepEqual(calls.filter(isChanging), []);
    });

    describe('a connection that is lost', () => {
      const beforeActing = ['/', '_resolve', '_mapping', '_tasks', '_stats/store,docs', '_refresh', '_count'];
      for (const phase of beforeActing) {
        it(`at ${phase}: nothing is changed`, async () => {
          const index = await indexWith();
          const { exitCode, errors, calls } = await clean(
            { INDEX: index, DELETE_DOCS: 'true' },
            {
              clock: quickClock,
              fateOf: (call) =>
                (phase === '/' ? call.path === '/' : pathOf(call.path).includes(phase))
                  ? 'cut-before'
                  : 'pass',
            },
          );
          assert.deepEqual([exitCode, errors.length], [1, 1]);
          assert.match(errors[0]!, /^the connection to the index engine was lost/);
          assert.deepEqual(calls.filter(isChanging), []);
        });
      }

      for (const fate of ['cut-before', 'cut-after'] as const) {
        it(`at the lifting of the block (${fate}): the block is there again, and nothing is done`, async () => {
          const index = await indexWith();
          await client.blockWrites(index);
          let lifts = 0;
          const { exitCode, errors, directory } = await clean(
            { INDEX: index, DELETE_DOCS: 'true' },
            { fateOf: (call) => (call.method === 'PUT' && lifts++ === 0 ? fate : 'pass') },
          );
          assert.deepEqual([exitCode, errors.length], [1, 1]);
          assert.equal(await writeBlockOf(index), 'true');
          assert.equal(Object.keys(await sources(index)).length, 4);
          assert.deepEqual(directory.files(), []);
        });

        it(`at the run (${fate}): what is left is done by another pass`, async () => {
          const index = await indexWith();
          await client.blockWrites(index);
          let runs = 0;
          const { exitCode, directory, warnings, out } = await clean(
            { INDEX: index, FIELDS: 'fcrb' },
            { fateOf: (call) => (isCallOf('_update_by_query')(call) && runs++ === 0 ? fate : 'pass') },
          );
          assert.equal(exitCode, 0);
          assert.match(out, /total 4, .*\n.*in 2 passes\n.*the answer of a pass was lost/);
          assert.match(warnings.join('\n'), /looking whether the run goes on/);
          for (const source of Object.values(await sources(index))) assert.equal('fcrb' in source, false);
          assert.equal(directory.json('update_result.json').passes.length, 2);
          assert.equal(await writeBlockOf(index), 'true');
        });
      }

      it('at the run, by a proxy that does not wait so long: the run is followed to its end', async () => {
        const index = await indexWith(Array.from({ length: 6 }, () => ({ fcrb: 'x' })));
        await client.blockWrites(index);
        let runs = 0;
        const { exitCode, warnings } = await clean(
          { INDEX: index, FIELDS: 'fcrb' },
          {
            flags: slow,
            fateOf: async ({ path, method, body, headers }) => {
              if (!pathOf(path).endsWith('_update_by_query') || runs++ > 0) return 'pass';
              const names = {
                'content-type': 'application/json',
                'x-opaque-id': String(headers['x-opaque-id']),
              };
              fetch(server.url + path, { method, body, headers: names }).catch(() => {});
              await untilUpdated(index, 2);
              return { status: 504, body: '<html>504 Gateway Time-out</html>' };
            },
          },
        );
        assert.equal(exitCode, 0);
        assert.match(warnings.join('\n'), /status 504; looking whether the run goes on/);
        for (const source of Object.values(await sources(index))) assert.equal('fcrb' in source, false);
        assert.equal(await writeBlockOf(index), 'true');
      });

      it('at the run, without a sign: a run that is gone is not waited for', async () => {
        const index = await indexWith(Array.from({ length: 4 }, () => ({ fcrb: 'x' })));
        let runs = 0;
        const { exitCode, directory } = await clean(
          { INDEX: index, FIELDS: 'fcrb' },
          {
            flags: slow,
            pace: { answerMs: 100 },
            fateOf: (call) => (isCallOf('_update_by_query')(call) && runs++ === 0 ? 'keep-answer' : 'pass'),
          },
        );
        assert.equal(exitCode, 0);
        const { passes } = directory.json('update_result.json');
        assert.deepEqual(
          passes.map(({ isSeenOnly }: { isSeenOnly: boolean }) => isSeenOnly),
          [true, false],
        );
        for (const source of Object.values(await sources(index))) assert.equal('fcrb' in source, false);
      });

      it('at the force merge: the documents are done, and the block is restored', async () => {
        const index = await indexWith();
        await client.blockWrites(index);
        const { exitCode, errors } = await clean(
          { INDEX: index, FIELDS: 'fcrb' },
          { fateOf: (call) => (isCallOf('_forcemerge')(call) ? 'cut-before' : 'pass') },
        );
        assert.deepEqual([exitCode, errors.length], [3, 1]);
        assert.match(errors[0]!, /^the documents are done, but the force merge is not known to be/);
        assert.equal(await writeBlockOf(index), 'true');
      });

      it('at the restoring of the block: it is tried again', async () => {
        const index = await indexWith();
        await client.blockWrites(index);
        let restores = 0;
        const { exitCode } = await clean(
          { INDEX: index, FIELDS: 'fcrb' },
          {
            fateOf: (call) => (isCallOf('_block/write')(call) && restores++ < 2 ? 'cut-before' : 'pass'),
            clock: quickClock,
          },
        );
        assert.equal(exitCode, 0);
        assert.equal(await writeBlockOf(index), 'true');
      });
    });
  });
}

/** Calls that are more than a look. */
function isChanging({ method, path }: SeenCall): boolean {
  return method !== 'GET' && !/\/_(count|search|refresh)$/.test(path.split('?')[0]!);
}

function linesOf(documents: readonly object[]): Buffer {
  return Buffer.from(
    documents.map((document, at) => `{"create":{"_id":"${at + 1}"}}\n${JSON.stringify(document)}\n`).join(''),
  );
}

function byQueryAnswer(counters: object): object {
  return {
    took: 1,
    timed_out: false,
    updated: 0,
    deleted: 0,
    batches: 1,
    noops: 0,
    retries: { bulk: 0, search: 0 },
    throttled_millis: 0,
    requests_per_second: -1,
    throttled_until_millis: 0,
    failures: [],
    ...counters,
  };
}
