import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ManualClock } from '../../kernel/testing/manual-clock.ts';
import { cleanupScript } from '../cleanup-script.ts';
import { readByQuery } from './by-query-request.ts';
import { ByQueryRun } from './by-query-run.ts';
import { IndexRegistry } from './index-registry.ts';
import type { LogIndex } from './log-index.ts';
import { writeDocument } from './write-document.ts';

describe('a run by query', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-by-query-'));
  const clock = new ManualClock();
  let registry: IndexRegistry;
  before(() => {
    registry = new IndexRegistry({ folder, clock });
  });
  after(() => {
    registry.close();
    rmSync(folder, { recursive: true, force: true });
  });

  let made = 0;
  const indexOf = (count: number): LogIndex => {
    const index = registry.writeTarget(`index-${++made}`);
    index.file.transaction(() => {
      for (let n = 0; n < count; n++) writeDocument(index, 'index', String(n), Buffer.from('{"x":1}'));
    });
    return index;
  };
  const runOn = (index: LogIndex, parameters: Record<string, string> = {}) => {
    const script = cleanupScript('remove', ['x']);
    return new ByQueryRun(readByQuery('update', index.name, { script }, parameters), [index], clock);
  };
  /** Moves the clock on until the run is over; the pauses that it made. */
  const pausesOf = async (run: ByQueryRun): Promise<number[]> => {
    let isOver = false;
    const done = run.run().finally(() => {
      isOver = true;
    });
    const pauses: number[] = [];
    for (let pause = 0; !isOver; ) {
      await new Promise((resolve) => setImmediate(resolve));
      if (clock.sleeperCount === 0) {
        if (pause > 0) pauses.push(pause);
        pause = 0;
      } else {
        clock.advance(10);
        pause += 10;
      }
    }
    await done;
    return pauses;
  };

  it('tries again while the disk is full, later each time, and gives up after eleven times', async () => {
    const index = indexOf(2);
    index.changeBlocks(new Map([['read_only_allow_delete', 'true']]));
    const run = runOn(index);
    const pauses = await pausesOf(run);
    assert.equal(pauses.length, 11);
    assert.ok(pauses[0]! >= 500 && pauses[0]! < 600 && pauses[10]! > 29_000);
    assert.equal(run.httpStatus, 429);
    const { retries, updated } = run.status();
    assert.deepEqual([retries.bulk, updated], [11, 0]);
  });

  it('keeps to its speed, batch by batch', async () => {
    const run = runOn(indexOf(30), { scroll_size: '10', requests_per_second: '5' });
    const pauses = await pausesOf(run);
    assert.deepEqual(pauses, [2000, 2000]);
    const { updated, batches, throttled_millis: throttledMs } = run.status();
    assert.deepEqual([updated, batches, throttledMs], [30, 3, 4000]);
  });

  it('says so when its index goes away under it', async () => {
    const index = indexOf(4);
    const run = runOn(index, { scroll_size: '2', requests_per_second: '1' });
    const done = assert.rejects(run.run(), { status: 404, type: 'index_not_found_exception' });
    while (run.status().updated < 2) await new Promise((resolve) => setImmediate(resolve));
    registry.deleteIndex(index.name);
    run.rethrottle(Number.POSITIVE_INFINITY);
    await done;
  });
});
