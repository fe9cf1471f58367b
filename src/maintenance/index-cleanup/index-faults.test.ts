import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { testCertificates, testKey } from '../../http1/client/testing/tls-certificates.ts';
import { LogIndexClient } from '../../log-index/client.ts';
import {
  type StartedIndex,
  startEmbeddedIndex,
} from '../../log-index/embedded/testing/start-embedded-index.ts';
import {
  quickClock,
  type SessionOptions,
  type Variables,
  WorkingDirectory,
} from './testing/cleanup-session.ts';
import { type Fate, type IndexProxyOptions, type SeenCall, startIndexProxy } from './testing/index-proxy.ts';

const INDEX = 'logs';

describe('an index engine that does not play along', () => {
  let index: StartedIndex;
  let client: LogIndexClient;
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-cleanup-faults-'));

  before(async () => {
    index = await startEmbeddedIndex();
    client = new LogIndexClient({ url: index.url });
  });
  beforeEach(async () => {
    await client.call('DELETE', `/${INDEX}`, { accepts: () => true });
    for (const id of ['1', '2'])
      await client.create(INDEX, id, { fcrb: 'x', '@timestamp': '2026-01-01T00:00:00.000Z' });
  });
  after(async () => {
    await client.close();
    await index[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  async function clean(
    variables: Variables = {},
    proxied: IndexProxyOptions = {},
    options: SessionOptions = {},
  ) {
    await using proxy = await startIndexProxy(index.url, proxied);
    using directory = new WorkingDirectory();
    const given = {
      ES_HOST: proxy.host,
      ES_PROTO: 'http',
      INDEX,
      FIELDS: 'fcrb',
      SKIP_CONFIRM: 'true',
      ...variables,
    };
    const session = await directory.run(given, { clock: quickClock, ...options });
    return { ...session, calls: proxy.calls, files: directory.files() };
  }

  const answering =
    (action: string, status: number, body: object | string) =>
    (call: SeenCall): Fate =>
      call.path.split('?')[0]!.endsWith(action) ? { status, body } : 'pass';

  async function assertUntouched(): Promise<void> {
    const { hits } = await client.search(INDEX, {});
    assert.ok(hits.hits.every(({ _source }) => _source?.fcrb === 'x'));
  }

  it('is not there', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    await new Promise((resolve) => server.close(resolve));
    const { exitCode, errors } = await clean({ ES_HOST: `127.0.0.1:${port}` });
    assert.deepEqual([exitCode, errors.length], [1, 1]);
    assert.match(errors[0]!, /^the index engine cannot be reached: .*refused.*\(ES_HOST, ES_PROTO\)$/);
  });

  it('is something else', async () => {
    const { exitCode, errors } = await clean({}, { fateOf: () => ({ status: 200, body: '<html>' }) });
    assert.deepEqual([exitCode, errors.length], [1, 1]);
    assert.match(errors[0]!, /^what answers is no index engine/);
  });

  it('wants a user: the password is sent, and never shown', async () => {
    const credentials = 'ada:pa$$ word';
    const given = { ES_USER: 'ada', ES_PASS: 'pa$$ word' };
    const { exitCode, out, err, echoes, calls } = await clean(given, { credentials });
    assert.equal(exitCode, 0);
    for (const { method, path } of calls)
      assert.ok(echoes.some((echo) => echo.includes(`-X ${method} `) && echo.includes(path)));
    for (const echo of echoes) assert.match(echo, /^curl -X (GET|POST|PUT) -u ada:\*\*\*\* /);
    const base64 = Buffer.from(credentials).toString('base64');
    for (const secret of ['pa$$', base64]) assert.equal((out + err).includes(secret), false);
  });

  const refusedUsers: Array<[what: string, variables: Variables]> = [
    ['a wrong password', { ES_USER: 'ada', ES_PASS: 'wrong' }],
    ['no user at all', {}],
  ];
  for (const [what, variables] of refusedUsers) {
    it(`refuses ${what}`, async () => {
      const { exitCode, errors } = await clean(variables, { credentials: 'ada:right' });
      assert.deepEqual([exitCode, errors.length], [1, 1]);
      assert.match(errors[0]!, /^the index engine refuses the user or the password \(ES_USER, ES_PASS\)/);
      await assertUntouched();
    });
  }

  it('wants a password that is asked for without showing it; without a terminal that is an error', async () => {
    const given = { ES_USER: 'ada', SKIP_CONFIRM: '' };
    const { exitCode, questions } = await clean(
      given,
      { credentials: 'ada:typed' },
      { answers: ['typed', 'yes'] },
    );
    assert.deepEqual([exitCode, questions], [0, ['Password of ada: ', "Type 'yes' to continue: "]]);
    const cancelled = await clean(given, {}, { answers: [undefined] });
    assert.deepEqual([cancelled.exitCode, cancelled.calls], [1, []]);
    const unasked = await clean({ ES_USER: 'ada' });
    assert.deepEqual([unasked.exitCode, unasked.calls], [2, []]);
    assert.match(unasked.errors[0]!, /^ES_USER is set and there is no password: set ES_PASS or --pass-file/);
  });

  it('lets the user clean the index, and see nothing of the engine', async () => {
    const forbidden = {
      error: { type: 'security_exception', reason: 'action is unauthorized' },
      status: 403,
    };
    const { exitCode, warnings, out } = await clean(
      {},
      {
        fateOf: ({ path }) =>
          path === '/' || /_tasks|_stats|_snapshot|_refresh/.test(path)
            ? { status: 403, body: forbidden }
            : 'pass',
      },
    );
    assert.equal(exitCode, 0);
    assert.match(warnings.join('\n'), /may not see the tasks of the index engine/);
    assert.match(out, /Snapshot +latest: not known/);
    assert.match(out, /total 2, updated 2/);
  });

  it('cannot be asked about: no terminal and no SKIP_CONFIRM ends before the first call', async () => {
    const { exitCode, errors, calls } = await clean({ SKIP_CONFIRM: '' });
    assert.deepEqual([exitCode, calls], [2, []]);
    assert.match(errors[0]!, /SKIP_CONFIRM=true \(--skip-confirm\)/);
  });

  describe('over https', () => {
    const tls = { key: testKey, cert: testCertificates.localhost };

    it('is believed whatever its certificate is, with a warning and the insecure option', async () => {
      const { exitCode, warnings, echoes } = await clean({ ES_PROTO: 'https' }, { tls });
      assert.equal(exitCode, 0);
      assert.match(
        warnings[0]!,
        /certificate of the index engine is not verified \(insecure\); --ca-file verifies it/,
      );
      for (const echo of echoes) assert.match(echo, / --insecure /);
    });

    it('is verified with a CA file', async () => {
      const path = join(folder, 'ca.pem');
      writeFileSync(path, testCertificates.authority);
      const { exitCode, warnings, echoes } = await clean(
        { ES_PROTO: 'https' },
        { tls },
        { flags: ['--ca-file', path] },
      );
      assert.deepEqual([exitCode, warnings], [0, []]);
      assert.doesNotMatch(echoes.join('\n'), /insecure/);
      const stranger = { key: testKey, cert: testCertificates.loner };
      const refused = await clean({ ES_PROTO: 'https' }, { tls: stranger }, { flags: ['--ca-file', path] });
      assert.deepEqual([refused.exitCode, refused.errors.length, refused.calls], [1, 1, []]);
      assert.match(refused.errors[0]!, /^there is no secure connection to the index engine/);
    });

    it('is not what answers', async () => {
      const { exitCode, errors } = await clean({ ES_PROTO: 'https' });
      assert.deepEqual([exitCode, errors.length], [1, 1]);
      assert.match(errors[0]!, /\(ES_(HOST|PROTO)/);
    });
  });

  const badCounts: Array<[what: string, body: object, says: RegExp]> = [
    ['no count', { _shards: { total: 1, successful: 1, failed: 0 } }, /did not tell how many documents/],
    [
      'a count that is no number',
      { count: 'many', _shards: { total: 1, successful: 1, failed: 0 } },
      /did not tell how many/,
    ],
    [
      'a count of some shards',
      { count: 7, _shards: { total: 5, successful: 3, failed: 2 } },
      /2 of 5 shards failed; nothing was changed/,
    ],
  ];
  for (const [what, body, says] of badCounts) {
    it(`gives ${what}`, async () => {
      const { exitCode, errors, files } = await clean({}, { fateOf: answering('_count', 200, body) });
      assert.deepEqual([exitCode, errors.length, files], [1, 1, []]);
      assert.match(errors[0]!, says);
      await assertUntouched();
    });
  }

  const counters = {
    took: 1,
    timed_out: false,
    total: 2,
    deleted: 0,
    batches: 1,
    noops: 0,
    version_conflicts: 0,
    retries: { bulk: 0, search: 0 },
    throttled_millis: 0,
    requests_per_second: -1,
  };
  const failure = {
    index: INDEX,
    id: '1',
    status: 429,
    cause: { type: 'cluster_block_exception', reason: 'disk usage exceeded flood-stage watermark' },
  };
  const badRuns: Array<[what: string, status: number, body: object, exitCode: number, says: RegExp]> = [
    [
      'fails on all documents',
      429,
      { ...counters, updated: 0, failures: [failure] },
      1,
      /^1 documents failed .*flood-stage watermark/,
    ],
    [
      'fails on some documents',
      429,
      { ...counters, updated: 1, failures: [failure] },
      3,
      /^1 documents failed/,
    ],
    ['times out', 200, { ...counters, timed_out: true, updated: 1, failures: [] }, 3, /^the run timed out/],
    [
      'is cancelled by somebody else',
      200,
      { ...counters, updated: 1, canceled: 'by user request', failures: [] },
      3,
      /^the run was cancelled/,
    ],
  ];
  for (const [what, status, body, exitCode, says] of badRuns) {
    it(`${what}: the result is written, the merge left out, the block restored`, async () => {
      await client.blockWrites(INDEX);
      const session = await clean({}, { fateOf: answering('_update_by_query', status, body) });
      assert.deepEqual(
        [session.exitCode, session.errors.length, session.files],
        [exitCode, 1, ['update_result.json']],
      );
      assert.match(session.errors[0]!, says);
      const settings = (await client.settings(INDEX)).get(INDEX);
      assert.equal(settings?.['index.blocks.write'], 'true');
    });
  }

  it('fails to merge some shards', async () => {
    const body = { _shards: { total: 2, successful: 1, failed: 1 } };
    const { exitCode, errors, files } = await clean({}, { fateOf: answering('_forcemerge', 200, body) });
    assert.deepEqual([exitCode, errors], [3, ['the force merge failed on 1 of 2 shards']]);
    assert.deepEqual(files, ['forcemerge_result.json', 'update_result.json']);
  });

  it('tells of errors to machines too', async () => {
    const { exitCode, out } = await clean({ INDEX: 'nowhere' }, {}, { flags: ['--json'] });
    const { status, errors } = JSON.parse(out);
    assert.deepEqual([exitCode, status, errors], [1, 'failed', ["there is no index 'nowhere' (INDEX)"]]);
  });
});
