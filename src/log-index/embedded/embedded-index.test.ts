import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, test } from 'node:test';
import { cleanupScript } from '../cleanup-script.ts';
import { LogIndexClient } from '../client.ts';
import { trafficLogStream } from '../traffic-log-template.ts';
import { describeLogIndex } from '../wire.suite.ts';
import { type StartedIndex, startEmbeddedIndex } from './testing/start-embedded-index.ts';

describeLogIndex('embedded', async () => {
  const index = await startEmbeddedIndex();
  return { url: index.url, stop: async () => index[Symbol.asyncDispose]() };
});

interface ErrorAnswer {
  readonly status: number;
  readonly error: {
    readonly type: string;
    readonly reason: string;
    readonly root_cause: Array<{ reason: string }>;
  };
}

const AT = '2026-01-01T00:00:00.000Z';
const everything = { match_all: {} };

describe('the embedded log index', () => {
  let index: StartedIndex;
  let client: LogIndexClient;
  before(async () => {
    index = await startEmbeddedIndex();
    client = new LogIndexClient({ url: index.url });
  });
  after(async () => {
    await client.close();
    await index[Symbol.asyncDispose]();
  });

  const ask = async (method: string, path: string, body?: object | string, type = 'application/json') => {
    const answer = await fetch(index.url + path, {
      method,
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      headers: { 'Content-Type': type },
    });
    return { status: answer.status, body: (await answer.json()) as ErrorAnswer };
  };

  it('says who it is, and is reached from this machine alone', async () => {
    const { version } = await client.info();
    assert.equal(version.distribution, 'gatehouse');
    assert.match(index.url, /^http:\/\/127\.0\.0\.1:/);
  });

  const unknown: Array<[method: string, path: string, body?: object]> = [
    ['GET', '/_cat/indices'],
    ['GET', '/_cluster/health'],
    ['POST', '/_reindex', {}],
    ['GET', '/_nodes'],
    ['PATCH', '/some'],
    ['GET', '/some/_doc/1'],
    ['DELETE', '/some/_doc/1'],
    ['POST', '/some/_update/1', {}],
    ['PUT', '/_snapshot/backup', {}],
    ['POST', '/_aliases', {}],
    ['POST', '/some/_search/scroll', {}],
    ['GET', '/some/_search?q=x'],
    ['GET', '/some/_count?q=x'],
    ['GET', '/some/_count?filter_path=count'],
    ['POST', '/some/_search', { aggs: {} }],
    ['POST', '/some/_search', { _source: ['a'] }],
    ['POST', '/some/_search', { sort: [{ apn: 'asc' }] }],
    ['POST', '/some/_search', { query: { match: { apn: 'x' } } }],
    ['POST', '/some/_search', { query: { bool: { must_not: [everything] } } }],
    ['POST', '/some/_search', { query: { terms: { apn: ['x'] } } }],
    ['POST', '/some/_search', { query: { range: { '@timestamp': { gte: 'now-1d' } } } }],
    ['POST', '/some/_search', { query: { term: { text: 'words' } } }],
    ['POST', '/some/_search', { query: { term: { fcrb: 'kept' } } }],
    ['POST', '/some/_update_by_query', { script: { source: "ctx._source.x = 'y'" } }],
    ['POST', '/some/_update_by_query', { script: { ...cleanupScript('remove', ['x']), lang: 'expression' } }],
    ['POST', '/some/_update_by_query?max_docs=1', {}],
    ['POST', '/some/_update_by_query?pipeline=x', {}],
    ['POST', '/some/_forcemerge'],
    ['POST', '/some/_forcemerge?max_num_segments=1'],
    ['POST', '/some/_rollover', { conditions: { max_docs: 1 } }],
    ['GET', '/some/_stats/indexing'],
    ['PUT', '/-some,other/_settings', { 'index.blocks.write': true }],
    ['GET', '/<some-{now}>/_count'],
    ['PUT', '/another', { settings: { number_of_shards: 2 } }],
    ['PUT', '/another', { mappings: { dynamic: 'strict' } }],
    ['PUT', '/another', { mappings: { properties: { a: { type: 'geo_point' } } } }],
    ['PUT', '/another', { aliases: { a: {} } }],
    ['PUT', '/_index_template/t', { index_patterns: ['a'], composed_of: ['b'] }],
    ['DELETE', '/so*'],
  ];
  it('refuses what it does not know, in the words of Elasticsearch', async () => {
    const mappings = {
      properties: {
        apn: { type: 'keyword' },
        text: { type: 'text' },
        fcrb: { type: 'object', enabled: false },
      },
    };
    await ask('PUT', '/some', { mappings });
    await ask('PUT', '/some/_doc/1', { '@timestamp': AT, apn: 'x', text: 'words', fcrb: 'kept' });
    for (const [method, path, body] of unknown) {
      const { status, body: answer } = await ask(method, path, body);
      assert.equal(status, 400, `${method} ${path}`);
      assert.equal(answer.status, 400);
      assert.match(answer.error.type, /_exception$/);
      assert.equal(answer.error.root_cause[0]?.reason, answer.error.reason);
    }
    assert.equal((await client.count('some', everything)).count, 1);
  });

  it('refuses other content types and longer bodies', async () => {
    const form = await ask('POST', '/some/_count', '{}', 'application/x-www-form-urlencoded');
    assert.equal(form.status, 406);
    const long = await ask('POST', '/some/_count', `{"query":"${'x'.repeat(17 * 2 ** 20)}"}`);
    assert.deepEqual([long.status, long.body.status], [413, 413]);
  });

  it('makes the stream of an environment with its first record, by the template that it ships', async () => {
    const stream = trafficLogStream('development');
    const record = {
      '@timestamp': AT,
      aci: 'c-1',
      apn: 'orders',
      sc: 200,
      fcrb: 'body',
      tch: [{ k: 'A', v: 'b' }],
    };
    await client.create(stream, 'a', record);
    const [found] = await client.dataStreams(stream);
    const today = new Date().toISOString().slice(0, 10).replaceAll('-', '.');
    assert.equal(found?.indices[0]?.index_name, `.ds-gateway-log-apiproxy-development-${today}-000001`);
    const { hits } = await client.search('gateway-log-apiproxy-*', { query: { term: { aci: 'c-1' } } });
    assert.deepEqual(hits.hits[0]?._source, record);
  });

  it('leaves every byte of a document that its script does not speak of', async () => {
    await ask('PUT', '/bytes', { mappings: { properties: { x: { type: 'object', enabled: false } } } });
    await ask('PUT', '/bytes/_doc/1', '{ "a" : 1.50e1 , "x" : {"deep":"}\\""} ,"n":[1, 2],"é":"\\u00e9" }');
    await client.updateByQuery('bytes', cleanupScript('empty', ['x']), { query: everything });
    const raw = async () =>
      /"_source":(.*)\}\]\}\}$/s.exec(await (await fetch(`${index.url}/bytes/_search`)).text())?.[1];
    assert.equal(await raw(), '{ "a" : 1.50e1 , "x" : "" ,"n":[1, 2],"é":"\\u00e9" }');
    await client.updateByQuery('bytes', cleanupScript('remove', ['x', 'n']), { query: everything });
    assert.equal(await raw(), '{"a" : 1.50e1,"é":"\\u00e9"}');
  });

  it('gives space back with a force merge', async () => {
    const lines = Array.from(
      { length: 2000 },
      (_, n) => `{"create":{"_id":"${n}"}}\n{"x":"${'b'.repeat(1000)}"}\n`,
    );
    await client.bulk('space', Buffer.from(lines.join('')));
    const full = (await client.stats('space')).get('space')!;
    assert.ok(full.store.size_in_bytes > 2_000_000);
    await client.updateByQuery('space', cleanupScript('remove', ['x']), { query: everything });
    const { docs } = (await client.stats('space')).get('space')!;
    assert.deepEqual(docs, { count: 2000, deleted: 2000 });
    await client.forceMerge('space');
    const merged = (await client.stats('space')).get('space')!;
    assert.ok(merged.store.size_in_bytes < 500_000, `${merged.store.size_in_bytes} bytes are left`);
    assert.equal(merged.docs.deleted, 0);
  });

  it('lets others have their turn while a long run or a long bulk goes on', async () => {
    const lines = Array.from(
      { length: 20_000 },
      (_, n) => `{"create":{}}\n{"@timestamp":${n},"apn":"a","x":"${'b'.repeat(300)}"}\n`,
    );
    let isOver = false;
    let answered = 0;
    const bulk = client.bulk('long', Buffer.from(lines.join(''))).finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await client.info();
      answered++;
    }
    assert.equal((await bulk).errors, false);
    assert.ok(answered >= 5, `only ${answered} answers during the bulk`);
    isOver = false;
    answered = 0;
    const run = client
      .updateByQuery('long', cleanupScript('remove', ['x']), { query: everything })
      .finally(() => {
        isOver = true;
      });
    while (!isOver) {
      await client.info();
      answered++;
    }
    assert.equal((await run).updated, 20_000);
    assert.ok(answered >= 5, `only ${answered} answers during the run`);
  });
});

describe('the files of the embedded log index', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-log-index-files-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const files = () => readdirSync(join(folder, 'log-index')).filter((name) => name.endsWith('.db'));

  test('keep everything over a restart: documents, fields, blocks, streams', async () => {
    const stream = trafficLogStream('test');
    {
      await using index = await startEmbeddedIndex({ folder });
      await using client = new LogIndexClient({ url: index.url });
      await client.create(stream, 'a', { '@timestamp': AT, apn: 'x', brought: 1 });
      await client.rollOver(stream);
      await client.create(stream, 'b', { '@timestamp': AT, apn: 'x' });
      const { indices } = (await client.dataStreams(stream))[0]!;
      await client.blockWrites(indices[0]!.index_name);
    }
    await using index = await startEmbeddedIndex({ folder });
    await using client = new LogIndexClient({ url: index.url });
    const [found] = await client.dataStreams(stream);
    assert.deepEqual([found?.generation, found?.indices.length], [2, 2]);
    const [oldest] = found!.indices;
    assert.equal((await client.settings(stream)).get(oldest!.index_name)?.['index.blocks.write'], 'true');
    assert.deepEqual((await client.mapping(stream)).get(oldest!.index_name)?.brought, { type: 'long' });
    assert.equal((await client.count(stream, { term: { apn: 'x' } })).count, 2);
    await assert.rejects(client.create(stream, 'b', { '@timestamp': AT }), { kind: 'conflict' });
    assert.equal(files().length, 3);
    await client.deleteDataStream(stream);
    assert.deepEqual(files(), ['catalogue.db']);
  });

  test('are read by their owner alone, and hold nothing that a crash left', async () => {
    const orphan = join(folder, 'log-index', 'index-left-behind.db');
    writeFileSync(orphan, '');
    await using index = await startEmbeddedIndex({ folder });
    await using client = new LogIndexClient({ url: index.url });
    await client.create('plain', 'a', { x: 1 });
    assert.equal(existsSync(orphan), false);
    for (const name of files())
      assert.equal(statSync(join(folder, 'log-index', name)).mode & 0o777, 0o600, name);
  });

  test('belong to one process at a time', async () => {
    await using _index = await startEmbeddedIndex({ folder });
    await assert.rejects(startEmbeddedIndex({ folder }), /another process uses the log index in /);
  });
});
