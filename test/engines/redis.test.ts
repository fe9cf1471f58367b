import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import tls from 'node:tls';
import { startCacheService } from '../../src/cache/service.ts';
import { describeGrid } from '../../src/grid/contract.suite.ts';
import { type Grid, GridUnavailable } from '../../src/grid/contract.ts';
import { EngineGrid } from '../../src/grid/engine-grid.ts';
import { RedisEngine } from '../../src/grid/redis/redis-engine.ts';
import { type Log, silentLog } from '../../src/kernel/log.ts';
import { rawRequest } from '../../src/kernel/testing/raw-client.ts';
import { localhostIdentity } from '../../src/kernel/testing/tls-identities.ts';
import { addEnvironment } from '../../src/platform/testing/add-environment.ts';
import { openStore } from '../../src/store/open-store.ts';
import { findRedisServer, freePort, RedisServerProcess, startRedisCluster } from './redis/redis-server.ts';

const binary = findRedisServer();
/** A test that fails must not keep the run from its end. */
const opened: Grid[] = [];
after(() => Promise.all(opened.map((grid) => grid.close())));
const passFor = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

async function open(url: string, options: { deadlineMs?: number; namespace?: string; log?: Log } = {}) {
  const { namespace = randomUUID(), log = silentLog, deadlineMs = 2000 } = options;
  const grid = new EngineGrid(await RedisEngine.open({ url, namespace, log, deadlineMs }));
  opened.push(grid);
  return grid;
}

if (binary === undefined) {
  it('data grid on Redis', { skip: 'neither redis-server nor valkey-server is installed' });
} else {
  describeGrid('one Redis server', async () => {
    const server = await RedisServerProcess.start(binary);
    const namespace = randomUUID();
    const openOne = () => open(`redis://127.0.0.1:${server.port}`, { namespace, deadlineMs: 10_000 });
    return { open: openOne, openApart: openOne, pass: passFor, stop: () => server.stop() };
  });
  describeGrid('a cluster of three Redis servers', async () => {
    const nodes = await startRedisCluster(binary);
    const namespace = randomUUID();
    // One node is enough to find the others.
    const openOne = () =>
      open(`redis-cluster://127.0.0.1:${nodes[0]!.port}`, { namespace, deadlineMs: 10_000 });
    return {
      open: openOne,
      openApart: openOne,
      pass: passFor,
      stop: async () => {
        await Promise.all(nodes.map((node) => node.stop()));
      },
    };
  });
  describe('one Redis server', () => describeServer(binary));
  describe('a Redis server behind TLS', () => describeTls(binary));
  describe('a cluster of Redis servers', () => describeCluster(binary));
}

function describeServer(redis: string): void {
  let server: RedisServerProcess;
  before(async () => {
    server = await RedisServerProcess.start(redis);
  });
  after(() => server.stop());
  const url = () => `redis://127.0.0.1:${server.port}`;

  it('keeps environments that share it apart', async () => {
    const [one, two] = await Promise.all([open(url(), { namespace: 'a' }), open(url(), { namespace: 'b' })]);
    await one.map<number>('m').set('k', 1);
    await two.map<number>('other').set('k', 1);
    assert.equal(await two.map('m').get('k'), undefined);
    assert.deepEqual(
      (await two.metrics()).map(({ name }) => name),
      ['m', 'other'],
    );
    await two.map('m').clear();
    assert.equal(await one.map('m').get('k'), 1);
    await Promise.all([one.close(), two.close()]);
  });

  it('names itself and its replicas as members', async () => {
    const replica = await RedisServerProcess.start(redis, '--replicaof', `127.0.0.1 ${server.port}`);
    const grid = await open(url());
    const expected = {
      engine: 'redis',
      state: 'ok',
      members: [
        { address: `127.0.0.1:${server.port}`, role: 'primary', local: false },
        { address: `127.0.0.1:${replica.port}`, role: 'replica', local: false },
      ],
    };
    await eventually(async () => assert.deepEqual(await grid.cluster(), expected));
    await grid.close();
    await replica.stop();
  });

  it('is shown by the diagnostics of every Cache, with what all processes did', async (test) => {
    const data = mkdtempSync(join(tmpdir(), 'gatehouse-cache-redis-'));
    test.after(() => rmSync(data, { recursive: true }));
    const store = await openStore({ dataFolder: data });
    const { id } = await addEnvironment(store, 'Test');
    await store.close();
    const cache = await startCacheService({
      host: '127.0.0.1',
      port: 0,
      data,
      logLevel: 'silent',
      shutdownTimeout: 1000,
      databaseUrl: undefined,
      podName: 'cache',
      environment: 'Test',
      gridUrl: url(),
    });
    test.after(() => cache.stop());
    const worker = await open(url(), { namespace: id });
    await worker.map<number>('limits').increment('ada');
    await worker.close();
    const ask = `GET /gateway/diagnostics/datagrid?internal=true HTTP/1.1\r\nHost: test\r\nConnection: close\r\nAuthorization: ${id}\r\n\r\n`;
    const { status, body } = await rawRequest(Number(new URL(cache.url).port), ask);
    assert.equal(status, 200);
    const { engine, cluster, maps } = JSON.parse(body.toString()).datagrid;
    assert.equal(engine, 'redis');
    assert.deepEqual(cluster, {
      state: 'ok',
      size: 1,
      members: [{ address: `127.0.0.1:${server.port}`, role: 'primary', local: false }],
    });
    const [{ memoryBytes, ...limits }] = maps;
    const none = { hits: 0, misses: 0, gets: 0, removes: 0, evictions: 0 };
    assert.deepEqual([maps.length, limits], [1, { name: 'limits', entries: 1, puts: 1, ...none }]);
    assert.ok(memoryBytes > 0);
  });

  it('that is killed is a typed error within the deadline, and works again when it is back', async () => {
    const grid = await open(url(), { deadlineMs: 500 });
    const map = grid.map<number>('m');
    await map.set('a', 1);
    await server.kill();
    for (let round = 0; round < 3; round++) {
      await withinDeadline(500, [
        map.get('a'),
        map.increment('n'),
        map.size(),
        grid.lock('l', 100),
        grid.ping(),
      ]);
    }
    await server.restart();
    await eventually(async () => assert.equal((await map.increment('n')).value, 1));
    await grid.ping();
    // The scripts went with the server, and came back by themselves.
    assert.equal(await map.compareAndSet('b', undefined, 2), true);
    await grid.close();
  });

  it('that is slow is a typed error within the deadline, for everybody who waits', async () => {
    const grid = await open(url(), { deadlineMs: 300 });
    const map = grid.map<number>('slow');
    await map.set('a', 1);
    const asleep = server.cli('DEBUG', 'SLEEP', '1.5');
    await passFor(200);
    await withinDeadline(300, [
      map.get('a'),
      map.set('a', 2),
      map.increment('n'),
      grid.ping(),
      grid.metrics(),
    ]);
    await asleep;
    await eventually(async () => assert.equal(await map.has('a'), true));
    await grid.close();
  });

  it('that stays silent is asked over a new connection', async () => {
    const events: string[] = [];
    const note = ({ event }: { event: string }) => events.push(event);
    const log = { ...silentLog, info: note, warn: note } as unknown as Log;
    const grid = await open(url(), { deadlineMs: 100, log });
    const map = grid.map<number>('silent');
    // On a busy machine even the first call may miss so short a deadline.
    await eventually(() => map.set('a', 1));
    const asleep = server.cli('DEBUG', 'SLEEP', '2');
    await passFor(100);
    while (!events.includes('grid.connection.silent')) {
      await map.get('a').catch(() => undefined);
      assert.ok(events.length < 10);
    }
    await asleep;
    await eventually(async () => assert.equal(await map.get('a'), 1));
    await grid.close();
  });

  it('need not be there when the grid is opened', async () => {
    await server.kill();
    const grid = await open(url(), { deadlineMs: 300 });
    await withinDeadline(300, [grid.map('m').get('a'), grid.ping(), grid.cluster(), grid.metrics()]);
    await server.restart();
    await eventually(() => grid.ping());
    await grid.close();
  });

  it('with a password is opened with it and not without, and neither error nor log names it', async () => {
    const secret = 'tell-nobody';
    const guarded = await RedisServerProcess.start(redis, '--requirepass', secret);
    const lines: string[] = [];
    const note = (fields: object) => lines.push(JSON.stringify(fields));
    const log = { ...silentLog, info: note, warn: note, error: note } as unknown as Log;
    const right = await open(`redis://:${secret}@127.0.0.1:${guarded.port}`, { log });
    await right.map<number>('m').set('a', 1);
    const wrong = await open(`redis://:${secret}x@127.0.0.1:${guarded.port}`, { log, deadlineMs: 300 });
    await assert.rejects(wrong.map('m').get('a'), (error: Error) => {
      assert.ok(error instanceof GridUnavailable);
      for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
        assert.doesNotMatch(`${cause.message} ${cause.stack}`, /tell-nobody/);
      return true;
    });
    assert.ok(lines.some((line) => line.includes('grid.connection.lost')));
    assert.doesNotMatch(lines.join('\n'), /tell-nobody/);
    await Promise.all([right.close(), wrong.close()]);
    await guarded.stop();
  });
}

function describeTls(redis: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-redis-tls-'));
  const trusted = tls.getCACertificates('default');
  let server: RedisServerProcess;
  let port: number;
  before(async () => {
    const [certificate, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    writeFileSync(certificate, localhostIdentity.cert);
    writeFileSync(key, localhostIdentity.key);
    port = await freePort();
    const files = ['--tls-cert-file', certificate, '--tls-key-file', key, '--tls-ca-cert-file', certificate];
    const flags = ['--tls-port', String(port), '--tls-auth-clients', 'no'];
    server = await RedisServerProcess.start(redis, ...flags, ...files);
  });
  after(async () => {
    tls.setDefaultCACertificates(trusted);
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  it('is not used when its certificate is not trusted', async () => {
    const grid = await open(`rediss://localhost:${port}`, { deadlineMs: 500 });
    await assert.rejects(grid.map('m').get('a'), GridUnavailable);
    await grid.close();
  });

  it('is used when its certificate is trusted and names it, and not under another name', async () => {
    tls.setDefaultCACertificates([...trusted, localhostIdentity.cert]);
    const grid = await open(`rediss://localhost:${port}`);
    await grid.map<number>('m').set('a', 1);
    assert.equal(await grid.map('m').get('a'), 1);
    const misnamed = await open(`rediss://127.0.0.1:${port}`, { deadlineMs: 500 });
    await assert.rejects(misnamed.ping(), GridUnavailable);
    await Promise.all([grid.close(), misnamed.close()]);
  });
}

function describeCluster(redis: string): void {
  let nodes: RedisServerProcess[];
  let grid: Grid;
  before(async () => {
    nodes = await startRedisCluster(redis);
    grid = await open(`redis-cluster://127.0.0.1:${nodes[0]!.port},127.0.0.1:${nodes[1]!.port}`, {
      deadlineMs: 1000,
    });
  });
  after(async () => {
    await grid.close();
    await Promise.all(nodes.map((node) => node.stop()));
  });

  it('names all its nodes as members', async () => {
    const { engine, state, members } = await grid.cluster();
    assert.deepEqual([engine, state], ['redis-cluster', 'ok']);
    assert.deepEqual(
      members.map(({ address, role }) => `${address} ${role}`),
      nodes.map(({ port }) => `127.0.0.1:${port} primary`).sort(),
    );
  });

  it('spreads a map without a limit over all nodes', async () => {
    await grid
      .map<number>('spread')
      .setMany(Array.from({ length: 300 }, (_, index) => [`key-${index}`, index]));
    const sizes = await Promise.all(nodes.map((node) => node.cli('DBSIZE')));
    for (const size of sizes) assert.ok(Number(size) > 50, sizes.join());
    assert.equal(await grid.map('spread').size(), 300);
  });

  it('that lost a node is a typed error within the deadline, and works again when it is back', async () => {
    const map = grid.map<number>('lost');
    const keys = Array.from({ length: 30 }, (_, index) => `key-${index}`);
    const incrementAll = () => Promise.allSettled(keys.map((key) => map.increment(key)));
    await incrementAll();
    await nodes[2]!.kill();
    const began = performance.now();
    const outcomes = await incrementAll();
    assert.ok(performance.now() - began < 4000);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') assert.ok(outcome.reason instanceof GridUnavailable);
    assert.ok(outcomes.some(({ status }) => status === 'rejected'));
    await assert.rejects(grid.ping(), GridUnavailable);
    await nodes[2]!.restart();
    await eventually(async () => {
      const again = await incrementAll();
      assert.ok(again.every(({ status }) => status === 'fulfilled'));
    });
    await eventually(() => grid.ping());
  });
}

/** Generous, because machines are loaded; yet far from a hang. */
async function withinDeadline(deadlineMs: number, calls: ReadonlyArray<Promise<unknown>>): Promise<void> {
  const began = performance.now();
  await Promise.all(calls.map((call) => assert.rejects(call, GridUnavailable)));
  const tookMs = performance.now() - began;
  assert.ok(tookMs < deadlineMs + 700, `${tookMs} ms`);
}

async function eventually(check: () => Promise<void>): Promise<void> {
  const deadlineMs = Date.now() + 20_000;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadlineMs) throw error;
      await passFor(50);
    }
  }
}
