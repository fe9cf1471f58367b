import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { LogIndexClient } from '../../src/log-index/client.ts';
import type { LogIndexServer } from '../../src/log-index/wire.suite.ts';
import { GatehouseProcess } from './gatehouse-process.ts';

/** Enough that a slow run lasts until it is told to hurry. */
const DOCUMENTS = 60;

/** `gatehouse index-cleanup` as a process that is stopped in the middle, softly and hard. */
export function describeIndexCleanupProcess(name: string, start: () => Promise<LogIndexServer>): void {
  describe(`index cleanup as a process: ${name}`, () => {
    let server: LogIndexServer;
    let client: LogIndexClient;
    let index: string;
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-index-cleanup-process-'));

    before(async () => {
      server = await start();
      client = new LogIndexClient({ url: server.url });
    });
    after(async () => {
      await client.close();
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    /** An index behind a write block. */
    async function makeIndex(): Promise<void> {
      index = `process-${randomUUID().slice(0, 8)}`;
      await client.call('PUT', `/${index}`, {
        body: { settings: { number_of_shards: 1, number_of_replicas: 0 }, mappings: {} },
      });
      const document = JSON.stringify({ '@timestamp': '2026-01-01T00:00:00.000Z', fcrb: 'body' });
      await client.bulk(index, Buffer.from(`{"create":{}}\n${document}\n`.repeat(DOCUMENTS)));
      await client.refresh(index);
      await client.blockWrites(index);
    }

    function cleanUp(...flags: string[]): GatehouseProcess {
      const variables = {
        ES_HOST: new URL(server.url).host,
        ES_PROTO: 'http',
        INDEX: index,
        FIELDS: 'fcrb',
        SKIP_CONFIRM: 'true',
      };
      return new GatehouseProcess(['index-cleanup', ...flags], variables, folder);
    }

    const slowly = ['--batch-size', '2', '--requests-per-second', '1'];
    const writeBlock = async () => (await client.settings(index)).get(index)?.['index.blocks.write'];
    const journals = () => readdirSync(folder).filter((file) => file.startsWith('write_block_'));

    /** Resolves with the id of the run once it has changed something. */
    async function runUnderWay(): Promise<string> {
      for (let attempt = 0; attempt < 1000; attempt++) {
        const { nodes } = await client.tasks('*byquery');
        const tasks = Object.values(nodes).flatMap(({ tasks: found }) => Object.entries(found));
        const run = tasks.find(([, { description }]) => description?.includes(`[${index}]`));
        if ((run?.[1].status?.updated ?? 0) > 0) return run![0];
        await delay(30);
      }
      return assert.fail('the run never began');
    }

    async function untilGone(task: string): Promise<void> {
      for (;;) {
        const { nodes } = await client.tasks('*byquery');
        if (!Object.values(nodes).some(({ tasks }) => task in tasks)) return;
        await delay(30);
      }
    }

    async function cleanedCount(): Promise<number> {
      await client.refresh(index);
      const { hits } = await client.search(index, { size: 100 });
      return hits.hits.filter(({ _source }) => !('fcrb' in _source!)).length;
    }

    it('killed while the block is lifted: the next run puts it back, and finishes the work', async () => {
      await makeIndex();
      const killed = cleanUp(...slowly);
      const task = await runUnderWay();
      killed.child.kill('SIGKILL');
      await killed.exitCode();
      assert.equal(await writeBlock(), 'false');
      assert.equal(journals().length, 1);
      await client.cancelTask(task);
      await untilGone(task);

      const next = cleanUp();
      assert.equal(await next.exitCode(), 0, next.stderr);
      assert.match(next.stderr, /^WARNING: an earlier run left the write block lifted; it is put back now$/m);
      assert.equal(await writeBlock(), 'true');
      assert.deepEqual(journals(), []);
      assert.equal(await cleanedCount(), DOCUMENTS);
    });

    it('killed, and started again while its run goes on: that run is followed to its end', async () => {
      await makeIndex();
      const killed = cleanUp(...slowly, '--async');
      const task = await runUnderWay();
      killed.child.kill('SIGKILL');
      await killed.exitCode();

      const next = cleanUp('--json');
      while (!next.stderr.includes('Going on') && next.child.exitCode === null) await delay(30);
      await client.rethrottle(task, -1);
      assert.equal(await next.exitCode(), 0, next.stderr);
      assert.match(next.stderr, /Going on +task \S+ of an earlier start/);
      const { status, result } = JSON.parse(next.stdout);
      assert.deepEqual([status, result.total, result.updated], ['done', DOCUMENTS, DOCUMENTS]);
      assert.equal(await writeBlock(), 'true');
      assert.deepEqual(journals(), []);
      assert.equal(await cleanedCount(), DOCUMENTS);
    });

    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      it(`${signal} cancels the run, restores the block and ends with 3`, async () => {
        await makeIndex();
        const stopped = cleanUp(...slowly);
        const task = await runUnderWay();
        stopped.child.kill(signal);
        // Whoever started it may pass on the same signal.
        stopped.child.kill(signal);
        assert.equal(await stopped.exitCode(), 3, stopped.stderr);
        assert.match(stopped.stderr, /^ERROR: the run was cancelled/m);
        await untilGone(task);
        assert.equal(await writeBlock(), 'true');
        assert.deepEqual(journals(), []);
        const { updated } = JSON.parse(readFileSync(join(folder, 'update_result.json'), 'utf8'));
        assert.equal(await cleanedCount(), updated);
      });
    }
  });
}
