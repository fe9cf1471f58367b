import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { EngineGrid } from '../grid/engine-grid.ts';
import { MemoryEngine } from '../grid/memory/memory-engine.ts';
import { RemoteEngine } from '../grid/remote/remote-engine.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Service } from '../kernel/life-cycle.ts';
import { UsageError } from '../kernel/options.ts';
import { rawRequest } from '../kernel/testing/raw-client.ts';
import { addEnvironment } from '../platform/testing/add-environment.ts';
import type { Store } from '../store/contract.ts';
import { openStore } from '../store/open-store.ts';
import { PodRegistry } from '../store/pods.ts';
import { startCacheService } from './service.ts';

describe('the Cache', () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'gatehouse-cache-'));
  let store: Store;
  let environmentId: string;
  before(async () => {
    store = await openStore({ dataFolder });
    const { id } = await addEnvironment(store, 'Test');
    environmentId = id;
  });
  after(async () => {
    await store.close();
    rmSync(dataFolder, { recursive: true });
  });

  const start = (podName: string, more: { gridUrl?: string; gridEngine?: MemoryEngine } = {}) =>
    startCacheService({
      host: '127.0.0.1',
      port: 0,
      data: dataFolder,
      logLevel: 'silent',
      shutdownTimeout: 1000,
      databaseUrl: undefined,
      environment: 'Test',
      podName,
      ...more,
    });

  const get = async ({ url }: Service, path: string) => {
    const head = `GET ${path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\nAuthorization: ${environmentId}\r\n\r\n`;
    const { status, body } = await rawRequest(Number(new URL(url).port), head);
    return { status, json: JSON.parse(body.toString()) };
  };
  const dataGridOf = async (cache: Service) =>
    (await get(cache, '/gateway/diagnostics/datagrid?internal=true')).json.datagrid;

  it('holds the maps in the pod that started first; the next one takes over, empty, when that stops', async () => {
    const first = await start('cache-b');
    const second = await start('cache-a');
    const pods = new PodRegistry(store, systemClock);
    const grid = new EngineGrid(
      new RemoteEngine({ pods, clock: systemClock, environmentId, deadlineMs: 5000 }),
    );
    const map = grid.map<number>('limits');
    await map.increment('ada', 1, { ttlMs: 60_000 });

    const { engine, cluster, maps } = await dataGridOf(first);
    assert.equal(engine, 'memory');
    assert.deepEqual(cluster, {
      state: 'ok',
      size: 2,
      members: [
        { address: second.url, role: 'standby', local: false },
        { address: first.url, role: 'owner', local: true },
      ],
    });
    assert.deepEqual([maps.length, maps[0].name, maps[0].entries, maps[0].puts], [1, 'limits', 1, 1]);
    assert.deepEqual((await dataGridOf(second)).maps, []);

    await first.stop();
    await assert.rejects(map.get('ada'));
    assert.equal((await map.increment('ada')).value, 1);
    assert.deepEqual((await dataGridOf(second)).cluster.members, [
      { address: second.url, role: 'owner', local: true },
    ]);
    await grid.close();
    await second.stop();
  });

  it('serves the grid that it shares with the process, and leaves it open', async () => {
    const engine = new MemoryEngine();
    const cache = await start('cache-shared', { gridEngine: engine });
    await new EngineGrid(engine).map<number>('shared').set('a', 1);
    assert.equal((await dataGridOf(cache)).maps[0].name, 'shared');
    await cache.stop();
    await engine.ping();
    await engine.close();
  });

  it('says in its health where the grid is, and that it is away', async () => {
    const engine = new MemoryEngine();
    const cache = await start('cache-health', { gridEngine: engine });
    const healthy = await get(cache, '/gateway/management/health');
    assert.deepEqual(
      [healthy.status, healthy.json.checks.grid],
      [200, { status: 'UP', detail: 'in memory' }],
    );
    await cache.stop();
    await engine.close();
    const without = await start('cache-away', { gridUrl: 'redis://127.0.0.1:1' });
    const { status, json } = await get(without, '/gateway/management/health');
    assert.deepEqual([status, json.checks.grid.status, json.checks.database.status], [503, 'DOWN', 'UP']);
    const diagnosed = await get(without, '/gateway/diagnostics/datagrid?internal=true');
    assert.equal(diagnosed.status, 200);
    assert.match(diagnosed.json.error, /datagrid/);
    await without.stop();
  });

  it('does not start with the address of a grid that is none, and does not repeat it', async () => {
    await assert.rejects(start('cache-wrong', { gridUrl: 'http://secret:80' }), (error) => {
      assert.ok(error instanceof UsageError);
      assert.doesNotMatch(error.message, /secret/);
      return true;
    });
  });
});
