import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { describeGrid } from '../grid/contract.suite.ts';
import { type Grid, GridUnavailable } from '../grid/contract.ts';
import { EngineGrid } from '../grid/engine-grid.ts';
import { MemoryEngine } from '../grid/memory/memory-engine.ts';
import { RemoteEngine } from '../grid/remote/remote-engine.ts';
import { runExample } from '../kernel/catalogue/testing/run-example.ts';
import { systemClock } from '../kernel/clock.ts';
import { silentLog } from '../kernel/log.ts';
import { type RunningModule, startModule } from '../kernel/module/module-service.ts';
import { ManualClock } from '../kernel/testing/manual-clock.ts';
import { rawRequest } from '../kernel/testing/raw-client.ts';
import { environmentAccess } from '../platform/environment-access.ts';
import type { Pod } from '../store/pods.ts';
import { gridEndpoints } from './grid.endpoints.ts';

const ENVIRONMENT_ID = '0123456789abcdef01234567';

/** A module that serves an engine as the Cache does. */
async function serve(engine: MemoryEngine, onRequest = () => {}): Promise<RunningModule> {
  return startModule({
    module: 'cache',
    host: '127.0.0.1',
    port: 0,
    endpoints: gridEndpoints(engine),
    services: {},
    begin: () => {
      onRequest();
      return undefined;
    },
    identify: environmentAccess(ENVIRONMENT_ID),
    checks: [],
    shutdownTimeoutMs: 1000,
    log: silentLog,
  });
}

function podAt(port: number, environmentId = ENVIRONMENT_ID): Pod {
  return {
    podName: `cache-${port}`,
    module: 'cache',
    environmentId,
    address: `http://127.0.0.1:${port}`,
    processId: 1,
    startedAtMs: 0,
    heartbeatAtMs: 0,
  };
}

const remote = (port: number, deadlineMs = 10_000): Grid =>
  new EngineGrid(
    new RemoteEngine({
      pods: { live: async () => [podAt(port)] },
      clock: systemClock,
      environmentId: ENVIRONMENT_ID,
      deadlineMs,
    }),
  );

describeGrid('through the Cache', async () => {
  const clock = new ManualClock();
  const engine = new MemoryEngine(clock);
  const module = await serve(engine);
  const open = async () => remote(module.port);
  return {
    open,
    openApart: open,
    pass: async (ms) => clock.advance(ms),
    stop: async () => {
      await module.stop();
      await engine.close();
    },
  };
});

describe('the Cache serving the data grid', () => {
  let engine: MemoryEngine;
  let module: RunningModule;
  let requestCount = 0;
  before(async () => {
    engine = new MemoryEngine(new ManualClock());
    module = await serve(engine, () => requestCount++);
  });
  after(async () => {
    await module.stop();
    await engine.close();
  });

  const post = async (body: string, authorization = ENVIRONMENT_ID, port = module.port) => {
    const head = [
      'POST /gateway/grid/operations HTTP/1.1',
      'Host: test',
      'Connection: close',
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `Authorization: ${authorization}`,
    ];
    const answer = await rawRequest(port, `${head.join('\r\n')}\r\n\r\n${body}`);
    const json = JSON.parse(answer.body.toString());
    return { status: answer.status, headers: new Map(answer.headers), json };
  };
  const run = (operations: unknown, maps: unknown = { m: { kind: 'json' } }) =>
    post(JSON.stringify({ maps, operations }));

  for (const entry of gridEndpoints(new MemoryEngine(new ManualClock()))) {
    for (const example of entry.examples) {
      it(`example: ${example.name}`, () => {
        const headers = example.headers?.map((text) => text.replace('<ENVIRONMENT_ID>', ENVIRONMENT_ID));
        return runExample(module.port, entry, { ...example, headers });
      });
    }
  }

  for (const authorization of ['', 'x', `Bearer ${ENVIRONMENT_ID}`, ENVIRONMENT_ID.replace('0', '1')]) {
    it(`refuses who shows '${authorization}'`, async () => {
      const { status, json } = await post('not looked at', authorization);
      assert.deepEqual([status, json.errorKey], [401, 'ENVIRONMENT_ID_MISMATCH']);
    });
  }

  const unfit: Array<[what: string, operations: unknown, maps?: unknown]> = [
    ['no operations', []],
    ['too many operations', Array.from({ length: 1001 }, () => ({ op: 'ping' }))],
    ['an unknown operation', [{ op: 'flush', map: 'm' }]],
    ['an unknown member', [{ op: 'get', map: 'm', key: 'a', colour: 'red' }]],
    ['a map that was not defined', [{ op: 'get', map: 'n', key: 'a' }]],
    ['a map named like something every object has', [{ op: 'get', map: 'constructor', key: 'a' }]],
    ['no map', [{ op: 'size' }]],
    ['a map where none belongs', [{ op: 'ping', map: 'm' }]],
    ['no key', [{ op: 'increment', map: 'm' }]],
    ['no value', [{ op: 'set', map: 'm', key: 'a' }]],
    ['a step that is no number', [{ op: 'increment', map: 'm', key: 'a', by: 'many' }]],
    ['a map of an unknown kind', [{ op: 'ping' }], { m: { kind: 'xml' } }],
  ];
  for (const [what, operations, maps] of unfit) {
    it(`answers 400 to ${what}`, async () => {
      const { status, json } = await run(operations, maps);
      assert.deepEqual([status, json.errorKey], [400, 'VALIDATION_FAILED'], JSON.stringify(json));
    });
  }

  it('answers 400 to what is no JSON and 413 to what is too long', async () => {
    assert.equal((await post('{')).status, 400);
    assert.equal((await post(`"${'x'.repeat(8 * 1024 * 1024)}"`)).status, 413);
  });

  it('says where a batch is wrong', async () => {
    const { json } = await run([{ op: 'ping' }, { op: 'get', map: 'm' }]);
    assert.match(json.message, /^The request body at \/operations\/1 must name a key\.$/);
  });

  it('puts off reads that would make the answer too long, and nothing else', async () => {
    const keys = Array.from({ length: 10_000 }, (_, index) => `${'k'.repeat(990)}${index}`);
    const long = engine.map('long', 'json', {});
    await long.setMany(
      keys.map((key) => [key, '1']),
      undefined,
    );
    const { json } = await run(
      [
        { op: 'keys', map: 'long', limit: 10_000 },
        { op: 'keys', map: 'long', limit: 10_000 },
        { op: 'increment', map: 'long', key: 'counter' },
      ],
      { long: { kind: 'json' } },
    );
    const [first, ...others] = json.results;
    assert.equal(first.result.length, 10_000);
    assert.deepEqual(others, [{ isPutOff: true }, { result: { value: 1 } }]);
  });

  it('does nothing of a batch that is refused', async () => {
    const { status } = await run([
      { op: 'increment', map: 'm', key: 'untouched' },
      { op: 'get', map: 'm' },
    ]);
    assert.equal(status, 400);
    assert.deepEqual((await run([{ op: 'has', map: 'm', key: 'untouched' }])).json.results, [
      { result: false },
    ]);
  });

  it('tells in its result why one operation cannot be done, and does the others', async () => {
    const { status, json } = await run(
      [
        { op: 'set', map: 'm', key: 'text', value: '"x"' },
        { op: 'increment', map: 'm', key: 'text' },
        { op: 'get', map: 'm', key: '' },
        { op: 'set', map: 'm', key: 'a', value: 'x'.repeat(1024 * 1024 + 1) },
        { op: 'set', map: 'm', key: 'a', value: '1', ttlMs: 0 },
        { op: 'get', map: 'a b', key: 'a' },
        { op: 'get', map: 'none', key: 'a' },
        { op: 'get', map: 'm', key: 'text' },
      ],
      { m: { kind: 'json' }, 'a b': { kind: 'json' }, none: { kind: 'json', maxEntries: 0 } },
    );
    assert.equal(status, 200);
    assert.deepEqual(json.results, [
      {},
      { refused: 'not-a-counter' },
      { refused: 'key-invalid' },
      { refused: 'value-too-large' },
      { refused: 'number-invalid' },
      { refused: 'name-invalid' },
      { refused: 'number-invalid' },
      { result: '"x"' },
    ]);
  });

  it('carries many operations in one request', async () => {
    const grid = remote(module.port);
    const map = grid.map<number>('many');
    await grid.ping();
    const before = requestCount;
    await Promise.all(Array.from({ length: 900 }, (_, index) => map.increment(`key-${index % 10}`)));
    assert.equal(requestCount - before, 1);
    assert.deepEqual(await map.getMany(['key-0', 'key-9']), [90, 90]);
    await grid.close();
  });

  it('answers more than fits in one answer by several', async () => {
    const grid = remote(module.port);
    const map = grid.byteMap('large');
    const keys = Array.from({ length: 24 }, (_, index) => `key-${index}`);
    await map.setMany(keys.map((key, index) => [key, Buffer.alloc(1024 * 1024, index)]));
    const before = requestCount;
    const values = await map.getMany(keys);
    assert.ok(requestCount - before >= 3);
    for (const [index, value] of values.entries())
      assert.ok(value!.byteLength === 1024 * 1024 && value![0] === index);
    await grid.close();
  });

  it('is a typed error to others when its own grid is away, and says when to come back', async () => {
    const gone = new MemoryEngine(new ManualClock());
    const other = await serve(gone);
    await gone.close();
    const ping = '{"maps":{},"operations":[{"op":"ping"}]}';
    const { status, headers, json } = await post(ping, ENVIRONMENT_ID, other.port);
    assert.deepEqual([status, json.errorKey], [503, 'SERVICE_UNAVAILABLE']);
    assert.equal(headers.get('Retry-After'), '1');
    const grid = remote(other.port);
    await assert.rejects(grid.map('m').get('a'), GridUnavailable);
    await assert.rejects(grid.ping(), GridUnavailable);
    await grid.close();
    await other.stop();
  });
});
