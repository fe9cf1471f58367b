import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManualClock } from '../../kernel/testing/manual-clock.ts';
import { describeGrid } from '../contract.suite.ts';
import { EngineGrid } from '../engine-grid.ts';
import { MemoryEngine } from './memory-engine.ts';

describeGrid('in process', async () => {
  const clock = new ManualClock();
  const shared = new EngineGrid(new MemoryEngine(clock));
  return {
    open: async () => shared,
    openApart: async () => new EngineGrid(new MemoryEngine(clock)),
    pass: async (ms) => clock.advance(ms),
    stop: async () => {},
  };
});

describe('the grid in process', () => {
  it('gives back the memory of entries that nobody asks for any more', async () => {
    const clock = new ManualClock();
    const grid = new EngineGrid(new MemoryEngine(clock));
    const map = grid.map<string>('idle');
    for (let index = 0; index < 25_000; index++) await map.set(`key-${index}`, 'x', { ttlMs: 1000 });
    clock.advance(1000);
    for (let second = 0; second < 3; second++) {
      clock.advance(1000);
      await Promise.resolve();
      await Promise.resolve();
    }
    const [metrics] = await grid.metrics();
    assert.deepEqual([metrics?.entries, metrics?.memoryBytes, metrics?.evictions], [0, 0, 0]);
    await grid.close();
  });

  it('forgets expired entries as fast as new ones come', async () => {
    const clock = new ManualClock();
    const engine = new MemoryEngine(clock);
    const map = engine.map('busy', 'json', {});
    for (let index = 0; index < 1000; index++) await map.set(`old-${index}`, '1', 10);
    clock.advance(10);
    for (let index = 0; index < 1100; index++) await map.set(`new-${index}`, '1', undefined);
    assert.equal((await map.keys(5000)).length, 1100);
    assert.equal((await engine.metrics())[0]?.entries, 1100);
    await engine.close();
  });

  it('looks over so many entries at once and no more, however many maps there are', async () => {
    const clock = new ManualClock();
    const grid = new EngineGrid(new MemoryEngine(clock));
    for (let index = 0; index < 10; index++) {
      const entries = Array.from({ length: 8000 }, (_, entry) => [`key-${entry}`, 'x'] as const);
      await grid.map<string>(`map-${index}`, { ttlMs: 1 }).setMany(entries);
    }
    const left = async () => (await grid.metrics()).reduce((sum, { entries }) => sum + entries, 0);
    // Writing looked over all of them already; from here on they are looked at from the first again.
    assert.equal(await left(), 80_000);
    clock.advance(1);
    assert.deepEqual([await left(), await left()], [30_000, 0]);
    await grid.close();
  });

  it('takes limits that are named later, and makes room at once', async () => {
    const grid = new EngineGrid(new MemoryEngine(new ManualClock()));
    const map = grid.map<number>('a');
    for (const key of ['a', 'b', 'c']) await map.set(key, 1);
    grid.map('a', { maxEntries: 1 });
    assert.deepEqual(await map.keys(), ['c']);
    await grid.close();
  });

  it('holds so many maps and no more', async () => {
    const grid = new EngineGrid(new MemoryEngine(new ManualClock()));
    for (let index = 0; index < 1000; index++) grid.map(`map-${index}`);
    grid.map('map-0');
    assert.throws(() => grid.map('one-more'), { reason: 'too-many-maps' });
    await grid.close();
  });
});
