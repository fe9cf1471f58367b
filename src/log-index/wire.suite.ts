import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { cleanupScript } from './cleanup-script.ts';
import { LogIndexClient } from './client.ts';
import type { BulkItemAnswer, ByQueryAnswer } from './client-answers.ts';
import { LogIndexFailure } from './log-index-failure.ts';
import { trafficLogTemplate } from './traffic-log-template.ts';

/** A server to judge. */
export interface LogIndexServer {
  readonly url: string;
  stop(): Promise<void>;
}

interface Asked {
  readonly status: number;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked at
  readonly body: any;
}

const AT = '2026-01-01T00:00:00.000Z';
const everything = { match_all: {} };
const remove = (...fields: string[]) => cleanupScript('remove', fields);
const empty = (...fields: string[]) => cleanupScript('empty', fields);

/** What the platform and its tools rely on, over the wire: the same for the embedded index and for a real engine. */
export function describeLogIndex(name: string, start: () => Promise<LogIndexServer>): void {
  describe(`log index: ${name}`, () => {
    let server: LogIndexServer;
    let client: LogIndexClient;
    const prefix = `suite-${randomUUID().slice(0, 8)}`;
    let made = 0;

    before(async () => {
      server = await start();
      client = new LogIndexClient({ url: server.url });
      const { template, ...rest } = trafficLogTemplate;
      const settings = { ...template.settings, 'index.number_of_replicas': 0 };
      await client.putTemplate(prefix, {
        ...rest,
        index_patterns: [`${prefix}-stream-*`],
        template: { ...template, settings },
      });
    });
    after(async () => {
      await client.close();
      await server.stop();
    });

    const newName = (kind = 'index') => `${prefix}-${kind}-${++made}`;

    async function ask(method: string, path: string, body?: object | string): Promise<Asked> {
      const answer = await fetch(server.url + path, {
        method,
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        headers: { 'Content-Type': path.endsWith('_bulk') ? 'application/x-ndjson' : 'application/json' },
      });
      const text = await answer.text();
      return { status: answer.status, text, body: JSON.parse(text) };
    }

    /** A plain index with these documents, under the ids 1, 2, …. */
    async function indexWith(...documents: object[]): Promise<string> {
      const index = newName();
      const mappings = { properties: { apn: { type: 'keyword' }, '@timestamp': { type: 'date' } } };
      const settings = { number_of_shards: 1, number_of_replicas: 0 };
      assert.equal((await ask('PUT', `/${index}`, { settings, mappings })).status, 200);
      for (const [at, document] of documents.entries())
        assert.equal((await ask('PUT', `/${index}/_doc/${at + 1}`, document)).status, 201);
      await client.refresh(index);
      return index;
    }

    /** A stream with these documents, under the ids 1, 2, …; its name and its first backing index. */
    async function streamWith(...documents: object[]): Promise<{ stream: string; backing: string }> {
      const stream = newName('stream');
      await client.createDataStream(stream);
      if (documents.length > 0) {
        const { errors } = await client.bulk(stream, lines(documents));
        assert.equal(errors, false);
      }
      await client.refresh(stream);
      const [found] = await client.dataStreams(stream);
      return { stream, backing: found!.indices[0]!.index_name };
    }

    const lines = (documents: readonly object[]) =>
      Buffer.from(
        documents
          .map((document, at) => `{"create":{"_id":"${at + 1}"}}\n${JSON.stringify(document)}\n`)
          .join(''),
      );

    /** The documents by id, as text. */
    async function sources(index: string): Promise<Record<string, unknown>> {
      await client.refresh(index);
      const { hits } = await client.search(index, { size: 100 });
      return Object.fromEntries(hits.hits.map(({ _id, _source }) => [_id, _source]));
    }

    const counters = (answer: ByQueryAnswer) => {
      const { total, updated, deleted, noops, version_conflicts: conflicts, failures } = answer;
      return { total, updated, deleted, noops, conflicts, failures: failures.length };
    };

    async function untilTask(
      id: string,
      isReached: (task: Asked['body']) => boolean,
    ): Promise<Asked['body']> {
      for (let attempt = 0; attempt < 200; attempt++) {
        const { body } = await ask('GET', `/_tasks/${id}`);
        if (isReached(body)) return body;
        await delay(50);
      }
      return assert.fail(`task ${id} never got there`);
    }

    describe('documents', () => {
      it('are created once under an id', async () => {
        const { stream, backing } = await streamWith();
        const path = `/${stream}/_create/a`;
        const created = await ask('PUT', path, { '@timestamp': AT });
        assert.equal(created.status, 201);
        const { _index, _id, _version, result, _shards } = created.body;
        assert.deepEqual([_index, _id, _version, result], [backing, 'a', 1, 'created']);
        assert.deepEqual(_shards, { total: 1, successful: 1, failed: 0 });
        const again = await ask('PUT', path, { '@timestamp': AT });
        assert.deepEqual([again.status, again.body.error.type], [409, 'version_conflict_engine_exception']);
        const unnamed = await ask('POST', `/${stream}/_doc`, { '@timestamp': AT });
        assert.equal(unnamed.status, 201);
        assert.match(unnamed.body._id, /^[\w-]{20,}$/);
      });

      it('are kept byte for byte', async () => {
        const { stream } = await streamWith();
        const sent = `{ "@timestamp" : "${AT}","z":1,"fcrb":{"n":12345678901234567890,"e":1.50e2, "t":"\\u00e9\\/é"} ,"a":2}`;
        assert.equal((await ask('PUT', `/${stream}/_create/a`, sent)).status, 201);
        await client.refresh(stream);
        const { text } = await ask('POST', `/${stream}/_search`, { query: { ids: { values: ['a'] } } });
        assert.ok(text.includes(`"_source":${sent}`), text);
      });

      it('go through bulk one by one: 201, 409 and 400 stand beside each other', async () => {
        const { stream, backing } = await streamWith();
        const body = [
          '{"create":{"_id":"a"}}',
          `{"@timestamp":"${AT}"}`,
          '{"create":{"_id":"a"}}',
          `{"@timestamp":"${AT}"}`,
          '{"create":{"_id":"b"}}',
          '{"apn":"without a time"}',
          '{"create":{"_id":"c"}}',
          `{"@timestamp":"${AT}","sc":"no number"}`,
          '{"create":{"_id":"d"}}',
          `{"@timestamp":"${AT}"`,
          '{"index":{"_id":"e"}}',
          `{"@timestamp":"${AT}"}`,
          '{"create":{}}',
          `{"@timestamp":"${AT}"}`,
        ];
        const { status, body: answer } = await ask('POST', `/${stream}/_bulk`, `${body.join('\n')}\n`);
        assert.deepEqual([status, answer.errors], [200, true]);
        const items: BulkItemAnswer[] = answer.items.map((item: object) => Object.values(item)[0]);
        assert.deepEqual(
          items.map((item) => [item.status, item.error?.type]),
          [
            [201, undefined],
            [409, 'version_conflict_engine_exception'],
            [400, 'mapper_parsing_exception'],
            [400, 'mapper_parsing_exception'],
            [400, 'mapper_parsing_exception'],
            [400, 'illegal_argument_exception'],
            [201, undefined],
          ],
        );
        assert.deepEqual(items[0]!._shards, { total: 1, successful: 1, failed: 0 });
        assert.ok(items.every((item) => item._index === backing || item._index === stream));
        assert.equal((await client.refresh(stream))._shards.failed, 0);
        assert.equal((await client.count(stream, everything)).count, 2);
      });

      const malformedBulks: Array<[what: string, body: string]> = [
        ['no newline at its end', `{"create":{}}\n{"@timestamp":"${AT}"}`],
        ['an unknown action', `{"upsert":{}}\n{"@timestamp":"${AT}"}\n`],
        ['an action that is no JSON', `create\n{"@timestamp":"${AT}"}\n`],
        ['nothing', '\n'],
        ['an id of 513 bytes', `{"create":{"_id":"${'x'.repeat(513)}"}}\n{"@timestamp":"${AT}"}\n`],
      ];
      for (const [what, body] of malformedBulks) {
        it(`refuse a whole bulk with ${what}`, async () => {
          const { stream } = await streamWith();
          assert.equal((await ask('POST', `/${stream}/_bulk`, body)).status, 400);
          await client.refresh(stream);
          assert.equal((await client.count(stream, everything)).count, 0);
        });
      }

      const timestamps: Array<[timestamp: unknown, status: number]> = [
        [AT, 201],
        ['2026-01-01', 201],
        ['2026-01-01T10', 201],
        ['2026-01-01T10:00:00.123456789+0300', 201],
        ['2026-01-01T10:00:00,5Z', 201],
        [1767225600000, 201],
        ['1767225600000', 201],
        [[AT], 201],
        ['2026-02-29', 400],
        ['2026-01-01 10:00:00', 400],
        ['2026-1-1', 400],
        ['nonsense', 400],
        ['', 400],
        [true, 400],
        [null, 400],
        [[AT, AT], 400],
        [{}, 400],
      ];
      it('need one timestamp in a stream', async () => {
        const { stream } = await streamWith();
        const statuses: Array<[unknown, number]> = [];
        for (const [timestamp] of timestamps) {
          const { status } = await ask('POST', `/${stream}/_doc`, { '@timestamp': timestamp });
          statuses.push([timestamp, status]);
        }
        assert.deepEqual(statuses, timestamps);
      });

      const shapes: Array<[document: string, status: number]> = [
        ['{"fcrb":"text"}', 201],
        ['{"fcrb":{"any":["shape",1]}}', 201],
        ['{"sc":"200"}', 201],
        ['{"sc":200.7}', 201],
        ['{"apn":["a","b"]}', 201],
        ['{"apn":true}', 201],
        ['{"new":{"deep.er":"x"}}', 201],
        ['{"new":{"deep":{"er":"y"}}}', 201],
        ['{"new":"no object"}', 400],
        ['{"apn":{"a":1}}', 400],
        ['{"sc":"abc"}', 400],
        ['{"sc":true}', 400],
        ['{"sc":12345678901234567890}', 400],
        ['{"ch":"perhaps"}', 400],
        ['{"a":1,"a":2}', 400],
        ['{"o":{"a":1,"b":2,"a":3}}', 400],
        ['{"":1}', 400],
        ['{"a..b":1}', 400],
        ['{"_id":"x"}', 400],
        ['{"a":}', 400],
        ['[]', 400],
      ];
      it('must fit their mapping', async () => {
        const { stream } = await streamWith();
        const statuses: Array<[string, number]> = [];
        for (const [document] of shapes) {
          const timed = document.replace(/^\{/, `{"@timestamp":"${AT}",`);
          statuses.push([document, (await ask('POST', `/${stream}/_doc`, timed)).status]);
        }
        assert.deepEqual(statuses, shapes);
      });
    });

    describe('data streams', () => {
      it('begin with their first write, by the template that matches', async () => {
        const stream = newName('stream');
        assert.equal((await ask('POST', `/${stream}/_doc`, { '@timestamp': AT })).status, 201);
        const [found] = await client.dataStreams(stream);
        assert.deepEqual([found?.name, found?.generation], [stream, 1]);
        assert.match(found!.indices[0]!.index_name, backingPattern(stream, 1));
        assert.equal((await ask('PUT', `/_data_stream/${newName('nowhere')}`)).status, 400);
        assert.equal((await ask('PUT', `/_data_stream/${stream}`)).status, 400);
      });

      it('are told apart from their backing indices', async () => {
        const { stream, backing } = await streamWith();
        assert.deepEqual(await client.resolve(stream), {
          indices: [],
          aliases: [],
          data_streams: [{ name: stream, backing_indices: [backing], timestamp_field: '@timestamp' }],
        });
        const { indices, data_streams: streams } = await client.resolve(backing);
        assert.deepEqual([indices[0]?.name, indices[0]?.data_stream, streams], [backing, stream, []]);
        const nowhere = await client.resolve('nowhere-to-be-found');
        assert.deepEqual(nowhere, { indices: [], aliases: [], data_streams: [] });
        assert.deepEqual([...(await client.settings(stream)).keys()], [backing]);
        assert.deepEqual(await client.dataStreams(backing), []);
      });

      it('only grow, and only by their own name', async () => {
        const { stream, backing } = await streamWith();
        const refused = [
          await ask('PUT', `/${stream}/_doc/a`, { '@timestamp': AT }),
          await ask('PUT', `/${backing}/_create/a`, { '@timestamp': AT }),
          await ask('DELETE', `/${backing}`),
        ];
        for (const { status, body } of refused)
          assert.deepEqual([status, body.error.type], [400, 'illegal_argument_exception']);
      });

      it('roll over: writes go to the new index, searches find both, and an id may come again', async () => {
        const { stream, backing } = await streamWith({ '@timestamp': AT });
        const { old_index: old, new_index: next } = await client.rollOver(stream);
        assert.equal(old, backing);
        assert.match(next, backingPattern(stream, 2));
        assert.equal((await client.bulk(stream, lines([{ '@timestamp': AT }]))).errors, false);
        await client.refresh(stream);
        const { hits } = await client.search(stream, { query: { ids: { values: ['1'] } }, _source: false });
        assert.deepEqual(hits.hits.map(({ _index }) => _index).sort(), [backing, next].sort());
        assert.deepEqual(
          hits.hits.map(({ _source }) => _source),
          [undefined, undefined],
        );
        assert.equal((await ask('DELETE', `/${backing}`)).status, 200);
        assert.equal((await client.count(stream, everything)).count, 1);
      });

      it('go with everything in them', async () => {
        const { stream, backing } = await streamWith({ '@timestamp': AT });
        await client.deleteDataStream(stream);
        await assert.rejects(client.dataStreams(stream), { kind: 'index-missing' });
        await assert.rejects(client.count(backing, everything), { kind: 'index-missing' });
      });
    });

    describe('queries', () => {
      const day = (n: number) => `2026-01-0${n}T12:00:00.000Z`;
      const documents = [
        { '@timestamp': day(1), apn: 'orders', aci: 'x-1', sc: 200 },
        { '@timestamp': day(2), apn: 'orders', aci: 'x-2', sc: 500 },
        { '@timestamp': day(3), apn: 'Orders', aci: 'x-3', sc: 200 },
        { '@timestamp': day(4), apn: ['orders', 'users'], aci: 'x-4' },
        { '@timestamp': day(5), aci: 'x-5', ch: true },
      ];
      const cases: Array<[query: object, ids: string]> = [
        [everything, '12345'],
        [{ bool: { filter: [] } }, '12345'],
        [{ term: { apn: 'orders' } }, '124'],
        [{ term: { apn: { value: 'users' } } }, '4'],
        [{ term: { apn: 'order' } }, ''],
        [{ term: { nowhere: 'x' } }, ''],
        [{ term: { sc: 200 } }, '13'],
        [{ term: { sc: '500' } }, '2'],
        [{ term: { ch: true } }, '5'],
        [{ term: { _id: '3' } }, '3'],
        [{ ids: { values: ['2', '5', 'nobody'] } }, '25'],
        [{ range: { '@timestamp': { gte: day(2), lte: day(4) } } }, '234'],
        [{ range: { '@timestamp': { gt: day(2), lt: day(4) } } }, '3'],
        [{ range: { '@timestamp': { gte: '2026-01-02', lte: '2026-01-03' } } }, '23'],
        [{ range: { '@timestamp': { gt: '2026-01-02', lt: '2026-01-04' } } }, '3'],
        [{ range: { '@timestamp': { gte: Date.parse(day(5)) } } }, '5'],
        [{ range: { sc: { gte: 201 } } }, '2'],
        [{ range: { nowhere: { gte: 1 } } }, ''],
        [{ bool: { filter: { term: { apn: 'orders' } } } }, '124'],
        [
          {
            bool: {
              filter: [
                { term: { apn: 'orders' } },
                { range: { '@timestamp': { gte: day(2), lte: day(5) } } },
              ],
            },
          },
          '24',
        ],
        [{ bool: { filter: [{ term: { apn: 'orders' } }, { term: { sc: 500 } }] } }, '2'],
      ];
      let stream: string;
      before(async () => {
        ({ stream } = await streamWith(...documents));
      });

      for (const [query, ids] of cases) {
        it(`${JSON.stringify(query)} finds ${ids || 'nothing'}`, async () => {
          const { count, _shards } = await client.count(stream, query as Record<string, unknown>);
          assert.deepEqual([count, _shards.failed], [ids.length, 0]);
          const { hits } = await client.search(stream, { query, _source: false });
          assert.equal(
            hits.hits
              .map(({ _id }) => _id)
              .sort()
              .join(''),
            ids,
          );
          assert.deepEqual(hits.total, { value: ids.length, relation: 'eq' });
        });
      }

      it('are sorted by time, in windows, and go on behind a place', async () => {
        const sort = [{ '@timestamp': 'desc' }];
        const window = await client.search(stream, { sort, from: 1, size: 2 });
        assert.deepEqual(
          window.hits.hits.map(({ _id, sort: keys }) => [_id, keys]),
          [
            ['4', [Date.parse(day(4))]],
            ['3', [Date.parse(day(3))]],
          ],
        );
        const behind = await client.search(stream, { sort, search_after: [Date.parse(day(3))] });
        assert.deepEqual(
          behind.hits.hits.map(({ _id }) => _id),
          ['2', '1'],
        );
        const ascending = await client.search(stream, {
          sort: [{ '@timestamp': { order: 'asc' } }],
          size: 1,
        });
        assert.equal(ascending.hits.hits[0]?._id, '1');
      });

      it('count beyond a bound only when asked to', async () => {
        const bounded = await client.search(stream, { size: 0, track_total_hits: 3 });
        assert.deepEqual(bounded.hits.total, { value: 3, relation: 'gte' });
        const exact = await client.search(stream, { size: 0, track_total_hits: true });
        assert.deepEqual(exact.hits.total, { value: 5, relation: 'eq' });
        const uncounted = await client.search(stream, { size: 1, track_total_hits: false });
        assert.equal(uncounted.hits.total, undefined);
      });

      it('go over several streams by a pattern', async () => {
        const { stream: other } = await streamWith({ '@timestamp': AT, aci: 'x-1' });
        const query = { term: { aci: 'x-1' } };
        assert.equal((await client.count(`${stream},${other}`, query)).count, 2);
        assert.ok((await client.count(`${prefix}-stream-*`, query)).count >= 2);
        assert.equal((await client.count(`${prefix}-nothing-*`, query)).count, 0);
      });

      const refused: Array<[what: string, path: string, body: object | string, type: string | RegExp]> = [
        ['an unknown query', '_count', { query: { match_al: {} } }, 'parsing_exception'],
        ['a member that is not known', '_count', { quer: {} }, 'parsing_exception'],
        ['two fields in a term', '_count', { query: { term: { a: 1, b: 2 } } }, 'parsing_exception'],
        ['a body that is cut off', '_count', '{"query":', 'parsing_exception'],
        [
          'a date that is none',
          '_count',
          { query: { range: { '@timestamp': { gte: 'x' } } } },
          /parse|search_phase/,
        ],
        ['a number that is none', '_count', { query: { term: { sc: 'x' } } }, /query_shard|search_phase/],
        ['an unknown parameter', '_count?foo=1', {}, 'illegal_argument_exception'],
        ['a window too large', '_search', { from: 9999, size: 2 }, /illegal_argument|search_phase/],
        ['a negative size', '_search', { size: -1 }, /illegal_argument|parsing/],
      ];
      for (const [what, path, body, type] of refused) {
        it(`refuse ${what}`, async () => {
          const { status, body: answer } = await ask('POST', `/${stream}/${path}`, body);
          assert.equal(status, 400);
          assert.match(answer.error.type, typeof type === 'string' ? new RegExp(`^${type}$`) : type);
          assert.equal(answer.status, 400);
          assert.equal(typeof answer.error.root_cause[0].reason, 'string');
        });
      }
    });

    describe('the cleanup script', () => {
      it('removes keys, leaves the rest, and a second run finds nothing to do', async () => {
        const { stream, backing } = await streamWith(
          { '@timestamp': AT, fcrb: 'body', tba: { any: 'shape' }, apn: 'a' },
          { '@timestamp': AT, fcrb: null, apn: 'b' },
          { '@timestamp': AT, apn: 'c' },
        );
        const options = { query: everything };
        const first = await client.updateByQuery(backing, remove('fcrb', 'tba', 'nowhere'), options);
        assert.deepEqual(counters(first), {
          total: 3,
          updated: 2,
          deleted: 0,
          noops: 1,
          conflicts: 0,
          failures: 0,
        });
        assert.deepEqual(await sources(stream), {
          1: { '@timestamp': AT, apn: 'a' },
          2: { '@timestamp': AT, apn: 'b' },
          3: { '@timestamp': AT, apn: 'c' },
        });
        const second = await client.updateByQuery(backing, remove('fcrb', 'tba', 'nowhere'), options);
        assert.deepEqual([second.updated, second.noops], [0, 3]);
      });

      it('empties keys that are there and not empty already', async () => {
        const index = await indexWith(
          { x: 'text' },
          { x: '' },
          { x: null },
          { x: ['a'] },
          { y: 1 },
          { 'z.x': 1 },
        );
        const first = await client.updateByQuery(index, empty('x'), { query: everything });
        assert.deepEqual([first.total, first.updated, first.noops], [6, 3, 3]);
        assert.deepEqual(Object.values(await sources(index)), [
          { x: '' },
          { x: '' },
          { x: '' },
          { x: '' },
          { y: 1 },
          { 'z.x': 1 },
        ]);
        const second = await client.updateByQuery(index, empty('x'), { query: everything });
        assert.deepEqual([second.updated, second.noops], [0, 6]);
      });

      it('takes names literally: dots, quotes and code are nothing else', async () => {
        const odd = ['a.b', "it's", 'ctx._source', '"', '\\', 'é'];
        const index = await indexWith(Object.fromEntries([...odd, 'kept'].map((key) => [key, 'v'])));
        await client.updateByQuery(index, remove(...odd), { query: everything });
        assert.deepEqual(await sources(index), { 1: { kept: 'v' } });
      });

      it('may leave a document empty', async () => {
        const index = await indexWith({ x: 1 });
        await client.updateByQuery(index, remove('x'), { query: everything });
        assert.deepEqual(await sources(index), { 1: {} });
      });

      it('changes only what its query finds, in as many slices as asked for', async () => {
        const documents = Array.from({ length: 20 }, (_, n) => ({ x: 1, apn: n % 2 ? 'odd' : 'even' }));
        const index = await indexWith(...documents);
        const answer = await client.updateByQuery(index, remove('x'), {
          query: { bool: { filter: [{ term: { apn: 'odd' } }] } },
          slices: 3,
        });
        assert.deepEqual([answer.total, answer.updated], [10, 10]);
        assert.equal(Object.values(await sources(index)).filter((one) => 'x' in (one as object)).length, 10);
      });

      it('fails on documents that would lose the timestamp of their stream', async () => {
        const { backing } = await streamWith({ '@timestamp': AT });
        const answer = await client.updateByQuery(backing, remove('@timestamp'), { query: everything });
        assert.deepEqual([answer.updated, answer.failures[0]?.status], [0, 400]);
      });

      it('is the only one: a script that cannot be is refused', async () => {
        const index = await indexWith({ x: 1 });
        const script = { lang: 'painless', source: 'this is no script', params: { fields: ['x'] } };
        const { status, body } = await ask('POST', `/${index}/_update_by_query`, { script });
        assert.deepEqual([status, body.error.type], [400, 'script_exception']);
      });
    });

    describe('deletion by query', () => {
      it('deletes what its query finds, from a backing index too', async () => {
        const { stream, backing } = await streamWith(
          { '@timestamp': AT, apn: 'a' },
          { '@timestamp': AT, apn: 'b' },
        );
        const answer = await client.deleteByQuery(backing, { query: { term: { apn: 'a' } } });
        assert.deepEqual([answer.total, answer.deleted, answer.noops, answer.failures], [1, 1, 0, []]);
        assert.deepEqual(Object.keys(await sources(stream)), ['2']);
        assert.equal((await client.count(stream, { term: { apn: 'a' } })).count, 0);
      });

      it('wants a query', async () => {
        const index = await indexWith({ x: 1 });
        assert.equal((await ask('POST', `/${index}/_delete_by_query`, {})).status, 400);
        assert.equal((await client.count(index, everything)).count, 1);
      });

      it('gives the space back with a force merge', async () => {
        const index = await indexWith({ x: 1 }, { x: 2 });
        await client.deleteByQuery(index, { query: { ids: { values: ['1'] } } });
        assert.equal((await client.forceMerge(index))._shards.failed, 0);
        const stats = (await client.stats(index)).get(index);
        assert.equal(stats?.docs.count, 1);
        assert.ok(stats.store.size_in_bytes > 0);
      });
    });

    describe('by-query parameters', () => {
      const refused = ['conflicts=maybe', 'slices=0', 'slices=x', 'requests_per_second=0', 'foo=1'];
      for (const query of refused) {
        it(`refuse ${query}`, async () => {
          const index = await indexWith({ x: 1 });
          for (const action of ['_update_by_query', '_delete_by_query']) {
            const { status, body } = await ask('POST', `/${index}/${action}?${query}`, { query: everything });
            assert.deepEqual([status, body.error.type], [400, 'illegal_argument_exception']);
          }
          assert.equal((await client.count(index, everything)).count, 1);
        });
      }
    });

    describe('tasks', () => {
      const six = Array.from({ length: 6 }, () => ({ x: 1 }));

      /** A run that waits a long time behind its first batch of two. */
      async function slowRun(
        index: string,
        options: { conflicts?: string; opaqueId?: string } = {},
      ): Promise<string> {
        const { conflicts = 'proceed', opaqueId = 'slow' } = options;
        const { task } = await client.call<{ task: string }>('POST', `/${index}/_update_by_query`, {
          query: {
            conflicts,
            wait_for_completion: false,
            refresh: true,
            requests_per_second: 0.1,
            scroll_size: 2,
          },
          body: { query: everything, script: remove('x') },
          opaqueId,
        });
        await untilTask(task, ({ task: { status } }) => status.updated === 2);
        return task;
      }

      it('tell how far they are, by list and by id, and keep their result', async () => {
        const index = await indexWith(...six);
        const opaqueId = randomUUID();
        const id = await slowRun(index, { opaqueId });
        const { nodes } = await client.tasks('*byquery');
        const all = Object.values(nodes).flatMap(({ tasks }) => Object.entries(tasks));
        const [listed] = all.filter(([, { headers }]) => headers?.['X-Opaque-Id'] === opaqueId);
        assert.equal(listed?.[0], id);
        const { action, cancellable, description, status } = listed[1];
        assert.deepEqual([action, cancellable], ['indices:data/write/update/byquery', true]);
        assert.ok(description?.includes(index));
        assert.deepEqual([status?.total, status?.updated], [6, 2]);
        const brief = await ask('GET', '/_tasks?actions=*byquery');
        assert.ok(!brief.text.includes('version_conflicts'));

        await client.rethrottle(id, 1000);
        const { task, response } = await untilTask(id, ({ completed }) => completed);
        assert.deepEqual([response.total, response.updated, response.failures], [6, 6, []]);
        assert.equal(task.status.updated, 6);
        assert.deepEqual((await sources(index))['1'], {});
      });

      it('can be cancelled: what was done stays done', async () => {
        const index = await indexWith(...six);
        const id = await slowRun(index);
        const { nodes } = await client.cancelTask(id);
        assert.equal(Object.keys(Object.values(nodes)[0]!.tasks)[0], id);
        const { response } = await untilTask(id, ({ completed }) => completed);
        assert.deepEqual([response.updated, response.canceled], [2, 'by user request']);
        assert.equal(Object.values(await sources(index)).filter((one) => 'x' in (one as object)).length, 4);
      });

      it('leave a document alone that was changed since they began; the next run takes it', async () => {
        const index = await indexWith(...six);
        const id = await slowRun(index);
        await ask('PUT', `/${index}/_doc/6`, { x: 2 });
        await client.rethrottle(id, -1);
        const { response } = await untilTask(id, ({ completed }) => completed);
        assert.deepEqual([response.updated, response.version_conflicts, response.failures], [5, 1, []]);
        assert.deepEqual((await sources(index))['6'], { x: 2 });
        const again = await client.updateByQuery(index, remove('x'), { query: everything });
        assert.deepEqual([again.updated, again.noops, again.version_conflicts], [1, 5, 0]);
      });

      it('end at a conflict unless they are told to proceed', async () => {
        const index = await indexWith(...six);
        const id = await slowRun(index, { conflicts: 'abort' });
        await ask('PUT', `/${index}/_doc/3`, { x: 2 });
        await client.rethrottle(id, -1);
        const { response } = await untilTask(id, ({ completed }) => completed);
        assert.deepEqual([response.version_conflicts, response.failures[0].status], [1, 409]);
        assert.ok(response.updated < 6);
      });

      it('count a document that was deleted meanwhile as a conflict', async () => {
        const index = await indexWith(...six);
        const id = await slowRun(index);
        await client.deleteByQuery(index, { query: { ids: { values: ['5'] } } });
        await client.rethrottle(id, -1);
        const { response } = await untilTask(id, ({ completed }) => completed);
        assert.deepEqual([response.updated, response.version_conflicts], [5, 1]);
        assert.equal((await client.count(index, everything)).count, 5);
      });

      it('are refused, or told missing, by ids that are none', async () => {
        assert.equal((await ask('GET', '/_tasks/nonsense')).status, 400);
        await assert.rejects(client.task('nobody:17'), { kind: 'not-found' });
        const { status, body } = await ask('POST', '/_tasks/nobody:17/_cancel');
        assert.deepEqual([status, body.nodes, body.node_failures.length], [200, {}, 1]);
      });

      it('keep no result when somebody waited for it', async () => {
        const index = await indexWith({ x: 1 });
        await client.updateByQuery(index, remove('x'), { query: everything, opaqueId: 'waited' });
        const { text } = await ask('GET', '/_tasks?actions=*byquery&detailed');
        assert.ok(!text.includes('"waited"'));
      });
    });

    describe('blocks', () => {
      const set = (index: string, settings: object) => ask('PUT', `/${index}/_settings`, settings);
      const writeBlockOf = async (index: string) =>
        (await client.settings(index)).get(index)?.['index.blocks.write'];

      it('are texts, absent until they are set, and go with null', async () => {
        const index = await indexWith();
        assert.equal(await writeBlockOf(index), undefined);
        for (const [settings, expected] of [
          [{ 'index.blocks.write': true }, 'true'],
          [{ index: { blocks: { write: false } } }, 'false'],
          [{ 'blocks.write': 'true' }, 'true'],
          [{ 'index.blocks.write': null }, undefined],
        ] as const) {
          assert.equal((await set(index, settings)).status, 200);
          assert.equal(await writeBlockOf(index), expected);
        }
        await client.blockWrites(index);
        assert.equal(await writeBlockOf(index), 'true');
      });

      it('on writes stop documents and runs, and nothing else', async () => {
        const index = await indexWith({ x: 1 }, { x: 2 }, { y: 3 });
        await client.blockWrites(index);
        const single = await ask('PUT', `/${index}/_doc/9`, { x: 1 });
        assert.deepEqual([single.status, single.body.error.type], [403, 'cluster_block_exception']);
        const bulk = await ask('POST', `/${index}/_bulk`, '{"index":{"_id":"9"}}\n{"x":1}\n');
        assert.deepEqual([bulk.status, bulk.body.items[0].index.status], [200, 403]);
        const update = await client.updateByQuery(index, remove('x'), { query: everything });
        assert.deepEqual([update.total, update.updated, update.noops], [3, 0, 1]);
        assert.deepEqual(
          update.failures.map(({ id, status, cause }) => [id, status, cause?.type]),
          [
            ['1', 403, 'cluster_block_exception'],
            ['2', 403, 'cluster_block_exception'],
          ],
        );
        const deletion = await client.deleteByQuery(index, { query: everything });
        assert.deepEqual([deletion.deleted, deletion.failures.length], [0, 3]);
        assert.equal((await client.count(index, everything)).count, 3);
        assert.equal((await client.forceMerge(index))._shards.failed, 0);
        const noops = await client.updateByQuery(index, remove('nowhere'), { query: everything });
        assert.deepEqual([noops.noops, noops.failures], [3, []]);
      });

      it('on everything let themselves be taken away, alone', async () => {
        const index = await indexWith({ x: 1 });
        await set(index, { 'index.blocks.read_only': true });
        const update = await client.updateByQuery(index, remove('x'), { query: everything });
        assert.equal(update.failures[0]?.status, 403);
        assert.equal((await ask('POST', `/${index}/_forcemerge?only_expunge_deletes=true`)).status, 403);
        assert.equal((await set(index, { 'index.blocks.write': true })).status, 403);
        assert.equal((await client.settings(index)).get(index)?.['index.blocks.read_only'], 'true');
        assert.equal((await set(index, { 'index.blocks.read_only': null })).status, 200);
        assert.equal((await ask('PUT', `/${index}/_doc/2`, { x: 1 })).status, 201);
      });

      it('on metadata hide settings, mapping and statistics', async () => {
        const index = await indexWith({ x: 1 });
        await set(index, { 'index.blocks.metadata': true });
        for (const path of ['_settings', '_mapping', '_stats'])
          assert.equal((await ask('GET', `/${index}/${path}`)).status, 403, path);
        assert.equal((await client.count(index, everything)).count, 1);
        assert.equal((await set(index, { 'index.blocks.metadata': null })).status, 200);
      });

      it('of a full disk are worth another try: a run waits until they are gone', async () => {
        const index = await indexWith({ x: 1 });
        const flood = 'index.blocks.read_only_allow_delete';
        await set(index, { [flood]: true });
        const single = await ask('PUT', `/${index}/_doc/9`, { x: 1 });
        assert.deepEqual([single.status, single.body.error.type], [429, 'cluster_block_exception']);
        const bulk = await ask('POST', `/${index}/_bulk`, '{"index":{"_id":"9"}}\n{"x":1}\n');
        assert.equal(bulk.body.items[0].index.status, 429);
        assert.equal((await ask('POST', `/${index}/_forcemerge?only_expunge_deletes=true`)).status, 429);
        assert.equal((await set(index, { [flood]: null, 'index.blocks.write': null })).status, 429);
        const id = await client.startUpdateByQuery(index, remove('x'), { query: everything });
        await untilTask(id, ({ task }) => task.status.retries.bulk > 0);
        assert.equal((await set(index, { [flood]: null })).status, 200);
        const { response } = await untilTask(id, ({ completed }) => completed);
        assert.deepEqual([response.updated, response.failures], [1, []]);
      });

      it('refuse other settings and other values', async () => {
        const index = await indexWith();
        for (const settings of [{ 'index.foo': 1 }, { 'index.blocks.write': 'maybe' }]) {
          const { status, body } = await set(index, settings);
          assert.equal(status, 400);
          // OpenSearch 3 has a name of its own for it.
          assert.match(body.error.type, /^(illegal_argument|settings)_exception$/);
        }
      });
    });

    describe('mappings', () => {
      it('grow with documents, and are told field by field', async () => {
        const index = newName();
        await ask('PUT', `/${index}/_doc/1`, {
          text: 'a',
          number: 1,
          truth: true,
          day: '2026-01-01',
          o: { p: 1.5 },
        });
        const text = { type: 'text', fields: { keyword: { type: 'keyword', ignore_above: 256 } } };
        assert.deepEqual((await client.mapping(index)).get(index), {
          day: { type: 'date' },
          number: { type: 'long' },
          o: { properties: { p: { type: 'float' } } },
          text,
          truth: { type: 'boolean' },
        });
        const fields = await ask('GET', `/${index}/_mapping/field/te*`);
        assert.deepEqual(fields.body[index].mappings, {
          text: { full_name: 'text', mapping: { text } },
          'text.keyword': { full_name: 'text.keyword', mapping: { keyword: text.fields.keyword } },
        });
        await client.refresh(index);
        assert.equal((await client.count(index, { term: { 'text.keyword': 'a' } })).count, 1);
        assert.deepEqual((await ask('GET', `/${index}/_mapping/field/nowhere`)).body[index].mappings, {});
      });
    });

    describe('failures', () => {
      const missing: Array<[method: string, path: string, body?: object]> = [
        ['POST', '/nowhere-to-be-found/_count'],
        ['POST', '/nowhere-to-be-found/_search'],
        ['POST', '/nowhere-to-be-found/_delete_by_query', { query: everything }],
        ['POST', '/nowhere-to-be-found/_update_by_query'],
        ['GET', '/nowhere-to-be-found/_settings'],
        ['PUT', '/nowhere-to-be-found/_settings', { 'index.blocks.write': true }],
        ['PUT', '/nowhere-to-be-found/_block/write'],
        ['GET', '/nowhere-to-be-found/_mapping'],
        ['GET', '/nowhere-to-be-found/_stats'],
        ['POST', '/nowhere-to-be-found/_forcemerge?only_expunge_deletes=true'],
        ['POST', '/nowhere-to-be-found/_refresh'],
        ['DELETE', '/nowhere-to-be-found'],
        ['GET', '/_data_stream/nowhere-to-be-found'],
      ];
      for (const [method, path, body] of missing) {
        it(`${method} ${path}: there is no such index`, async () => {
          const { status, body: answer } = await ask(method, path, body);
          assert.deepEqual([status, answer.error.type], [404, 'index_not_found_exception']);
        });
      }

      it('are told by their kind', async () => {
        await assert.rejects(client.count('nowhere-to-be-found', everything), (error: LogIndexFailure) => {
          assert.ok(error instanceof LogIndexFailure);
          assert.deepEqual(
            [error.kind, error.status, error.type],
            ['index-missing', 404, 'index_not_found_exception'],
          );
          return true;
        });
        const index = await indexWith({ x: 1 });
        await client.blockWrites(index);
        await assert.rejects(client.create(index, 'a', { x: 1 }), { kind: 'blocked', status: 403 });
        const { stream } = await streamWith({ '@timestamp': AT });
        await assert.rejects(client.create(stream, '1', { '@timestamp': AT }), { kind: 'conflict' });
        await assert.rejects(client.create(stream, '2', {}), {
          kind: 'refused',
          type: 'mapper_parsing_exception',
        });
      });

      it('come for names that no index may have', async () => {
        for (const name of ['Upper', '_hidden', '-minus', 'a%22b']) {
          const { status, body } = await ask('PUT', `/${name}`);
          assert.deepEqual([status, body.error.type], [400, 'invalid_index_name_exception'], name);
        }
        const index = await indexWith();
        assert.equal((await ask('PUT', `/${index}`)).body.error.type, 'resource_already_exists_exception');
      });
    });

    it('has no snapshots unless somebody made a repository', async () => {
      assert.deepEqual(await client.snapshotRepositories(), {});
    });
  });
}

/** With the day in it or without: engines differ. */
function backingPattern(stream: string, generation: number): RegExp {
  return new RegExp(`^\\.ds-${stream}-(\\d{4}\\.\\d{2}\\.\\d{2}-)?${String(generation).padStart(6, '0')}$`);
}
