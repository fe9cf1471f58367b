import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { quickClock, WorkingDirectory } from './testing/cleanup-session.ts';
import { type Fate, type SeenCall, startIndexProxy } from './testing/index-proxy.ts';

/** Answers as the reference manuals of Elasticsearch show them. No such engine runs here: its shapes are what is proven. */
const backing = '.ds-gateway-log-apiproxy-production-2026.01.01-000001';
const newest = '.ds-gateway-log-apiproxy-production-2026.02.01-000002';
const stream = 'gateway-log-apiproxy-production';
const shards = { total: 2, successful: 2, skipped: 0, failed: 0 };

interface Engine {
  readonly version: string;
  readonly info: object;
  /** Members that this line adds to an index in the answer of `_resolve`. */
  readonly resolved: object;
  readonly streamMembers: object;
  readonly hasBlockCall: boolean;
}

const engines: readonly Engine[] = [
  {
    version: '7.17.9',
    info: { number: '7.17.9', build_flavor: 'default', build_type: 'docker', lucene_version: '8.11.1' },
    resolved: { attributes: ['hidden', 'open'] },
    streamMembers: { hidden: false, system: false, allow_custom_routing: false, replicated: false },
    hasBlockCall: true,
  },
  {
    version: '8.19.0',
    info: { number: '8.19.0', build_flavor: 'default', build_type: 'docker', lucene_version: '9.12.2' },
    resolved: { attributes: ['hidden', 'open'], mode: 'standard' },
    streamMembers: {
      failure_store: { enabled: false, rollover_on_write: true, indices: [] },
      next_generation_managed_by: 'Unmanaged',
    },
    hasBlockCall: true,
  },
  {
    version: '9.1.0',
    info: { number: '9.1.0', build_flavor: 'default', build_type: 'docker', lucene_version: '10.2.2' },
    resolved: { attributes: ['hidden', 'open'], mode: 'logsdb' },
    streamMembers: {
      index_mode: 'logsdb',
      failure_store: { enabled: true, rollover_on_write: false, indices: [] },
    },
    hasBlockCall: true,
  },
];

const byQuery = {
  took: 147,
  timed_out: false,
  updated: 119,
  deleted: 0,
  batches: 1,
  version_conflicts: 0,
  noops: 1,
  retries: { bulk: 0, search: 0 },
  throttled_millis: 0,
  requests_per_second: -1.0,
  throttled_until_millis: 0,
  total: 120,
  failures: [],
};

function missing(name: string): Fate {
  const error = {
    type: 'index_not_found_exception',
    reason: `no such index [${name}]`,
    'resource.type': 'index_or_alias',
    'resource.id': name,
    index_uuid: '_na_',
    index: name,
  };
  return { status: 404, body: { error: { root_cause: [error], ...error }, status: 404 } };
}

function answersOf(engine: Engine): (call: SeenCall) => Fate {
  const blocks = { write: 'true' };
  const ok = (body: object): Fate => ({ status: 200, body });
  const resolvable: Record<string, object> = {
    [backing]: {
      indices: [{ name: backing, data_stream: stream, ...engine.resolved }],
      aliases: [],
      data_streams: [],
    },
    [stream]: {
      indices: [],
      aliases: [],
      data_streams: [{ name: stream, backing_indices: [backing, newest], timestamp_field: '@timestamp' }],
    },
    'logs-now': { indices: [], aliases: [{ name: 'logs-now', indices: ['logs-1'] }], data_streams: [] },
    // A single name comes as itself, not as a list of one, in some releases.
    'logs-one': { indices: [], aliases: [{ name: 'logs-one', indices: 'logs-1' }], data_streams: [] },
  };
  return ({ method, path, body }) => {
    const plain = path.split('?')[0]!;
    const name = plain.slice(plain.lastIndexOf('/') + 1);
    if (plain === '/')
      return ok({
        name: 'es01',
        cluster_name: 'docker',
        version: engine.info,
        tagline: 'You Know, for Search',
      });
    if (plain.startsWith('/_resolve/index/')) return resolvable[name] ? ok(resolvable[name]) : missing(name);
    if (plain === `/_data_stream/${stream}`) {
      const indices = [backing, newest].map((index_name) => ({
        index_name,
        index_uuid: 'xCEhwsp8Tey0-FLNFYVwSg',
      }));
      const told = {
        name: stream,
        timestamp_field: { name: '@timestamp' },
        indices,
        generation: 2,
        status: 'GREEN',
        ...engine.streamMembers,
      };
      return ok({ data_streams: [told] });
    }
    if (plain === '/_tasks') return ok({ nodes: {} });
    if (plain === '/_snapshot')
      return ok({
        nightly: { type: 'fs', uuid: '0JLknrXbSUiVPuLakHjBrQ', settings: { location: '/backup' } },
      });
    if (plain === '/_snapshot/nightly/_all') {
      const snapshot = (snapshotName: string, endMs: number, indices: string[]) => ({
        snapshot: snapshotName,
        uuid: 'vdRctLCxSketdKb54xw67g',
        repository: 'nightly',
        indices,
        data_streams: [],
        state: 'SUCCESS',
        end_time_in_millis: endMs,
      });
      const snapshots = [
        snapshot('first', Date.UTC(2026, 0, 2), [backing]),
        snapshot('second', Date.UTC(2026, 0, 3), [backing]),
        snapshot('other', Date.UTC(2026, 0, 4), ['elsewhere']),
      ];
      return ok({ snapshots, total: 3, remaining: 0 });
    }
    if (!plain.startsWith(`/${backing}/`)) return missing(plain);
    switch (plain.slice(backing.length + 2)) {
      case '_settings': {
        if (method === 'PUT') blocks.write = String(JSON.parse(body)['index.blocks.write']);
        if (method === 'PUT') return ok({ acknowledged: true });
        return ok({
          [backing]: {
            settings: {
              'index.blocks.write': blocks.write,
              'index.hidden': 'true',
              'index.number_of_shards': '1',
            },
          },
        });
      }
      case '_block/write':
        if (!engine.hasBlockCall)
          return { status: 400, body: { error: `no handler found for uri [${plain}] and method [PUT]` } };
        blocks.write = 'true';
        return ok({
          acknowledged: true,
          shards_acknowledged: true,
          indices: [{ name: backing, blocked: true }],
        });
      case '_mapping':
        return ok({
          [backing]: {
            mappings: {
              _data_stream_timestamp: { enabled: true },
              properties: {
                '@timestamp': { type: 'date' },
                fcrb: { type: 'text', fields: { keyword: { type: 'keyword', ignore_above: 256 } } },
                apn: { type: 'text', fields: { keyword: { type: 'keyword' } } },
              },
            },
          },
        });
      case '_stats/store,docs': {
        const stats = {
          docs: { count: 120, deleted: 0, total_size_in_bytes: 4000 },
          store: { size_in_bytes: 4000, total_data_set_size_in_bytes: 4000, reserved_in_bytes: 0 },
        };
        return ok({
          _shards: shards,
          _all: { primaries: stats, total: stats },
          indices: {
            [backing]: { uuid: 'u', health: 'green', status: 'open', primaries: stats, total: stats },
          },
        });
      }
      case '_refresh':
      case '_forcemerge':
        return ok({ _shards: shards });
      case '_count':
        return ok({ count: 120, _shards: shards });
      case '_update_by_query':
        return ok(byQuery);
      default:
        return missing(plain);
    }
  };
}

for (const engine of engines) {
  describe(`answers of Elasticsearch ${engine.version}`, () => {
    let directory: WorkingDirectory;
    before(() => {
      directory = new WorkingDirectory();
    });
    after(() => directory[Symbol.dispose]());

    async function clean(index: string, more: Record<string, string> = {}, flags: readonly string[] = []) {
      await using proxy = await startIndexProxy('http://127.0.0.1:9', { fateOf: answersOf(engine) });
      const variables = {
        ES_HOST: proxy.host,
        ES_PROTO: 'http',
        INDEX: index,
        FIELDS: 'fcrb',
        SKIP_CONFIRM: 'true',
        ...more,
      };
      return { ...(await directory.run(variables, { clock: quickClock, flags })), calls: proxy.calls };
    }

    it('lead through a whole run', async () => {
      const { exitCode, out, errors, calls } = await clean(backing);
      assert.deepEqual([exitCode, errors], [0, []]);
      assert.match(out, new RegExp(`Elasticsearch ${engine.version}`));
      assert.match(out, /total 120, updated 119, deleted 0, noops 1, version_conflicts 0, failures 0/);
      assert.match(out, /Snapshot +latest: 2026-01-03T00:00:00\.000Z \(nightly\/second\)/);
      assert.deepEqual(directory.json('update_result.json'), byQuery);
      const puts = calls
        .filter(({ method }) => method === 'PUT')
        .map(({ path }) => path.slice(backing.length + 2));
      assert.deepEqual(puts, ['_settings', '_block/write']);
    });

    it('tell streams, aliases and missing indices from an index', async () => {
      const refused = await clean(stream);
      assert.equal(refused.exitCode, 2);
      assert.ok(refused.errors[0]!.includes(`${backing}, ${newest} (newest, receives writes)`));
      for (const alias of ['logs-now', 'logs-one']) {
        const { exitCode, errors } = await clean(alias);
        assert.deepEqual(
          [exitCode, errors],
          [2, [`INDEX '${alias}' is an alias; name the index itself: logs-1`]],
        );
      }
      const gone = await clean('nowhere');
      assert.deepEqual([gone.exitCode, gone.errors], [1, ["there is no index 'nowhere' (INDEX)"]]);
    });

    it('warn of analysed text, and the keyword beside it can be meant', async () => {
      const text = await clean(backing, { PROXY_VALUE: 'orders', DRY_RUN: 'true' });
      assert.match(text.warnings.join('\n'), /PROXY_FIELD apn is analysed text.*--proxy-keyword/);
      const keyword = await clean(backing, { PROXY_VALUE: 'orders', DRY_RUN: 'true' }, ['--proxy-keyword']);
      assert.deepEqual(keyword.warnings, []);
      assert.match(keyword.out, /"apn\.keyword": "orders"/);
    });
  });
}

describe('answers of Elasticsearch before 7.9', () => {
  it('lead through a run without _resolve and _block', async () => {
    const engine: Engine = {
      ...engines[0]!,
      version: '7.4.2',
      info: { number: '7.4.2' },
      hasBlockCall: false,
    };
    const usual = answersOf(engine);
    await using proxy = await startIndexProxy('http://127.0.0.1:9', {
      fateOf: (call) =>
        call.path.startsWith('/_resolve')
          ? { status: 400, body: { error: 'no handler found for uri [/_resolve/index] and method [GET]' } }
          : usual(call),
    });
    using directory = new WorkingDirectory();
    const variables = {
      ES_HOST: proxy.host,
      ES_PROTO: 'http',
      INDEX: backing,
      FIELDS: 'fcrb',
      SKIP_CONFIRM: 'true',
    };
    const { exitCode, errors } = await directory.run(variables, { clock: quickClock });
    assert.deepEqual([exitCode, errors], [0, []]);
    const puts = proxy.calls.filter(({ method }) => method === 'PUT').map(({ body }) => body);
    assert.deepEqual(puts, ['{"index.blocks.write":false}', '', '{"index.blocks.write":true}']);
  });
});
