import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { silentLog } from '../../kernel/log.ts';
import { ManualClock } from '../../kernel/testing/manual-clock.ts';
import { IndexRegistry } from './index-registry.ts';
import { applyRetention, Retention, type RetentionSettings } from './retention.ts';
import { writeDocument } from './write-document.ts';

const DAY_MS = 86_400_000;
const settings: RetentionSettings = {
  keepDays: 7,
  keepBytes: 2 ** 30,
  rolloverBytes: 2 ** 30,
  rolloverAgeMs: DAY_MS,
};

describe('retention', () => {
  let folder: string;
  let clock: ManualClock;
  let registry: IndexRegistry;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-retention-'));
    clock = new ManualClock(Date.UTC(2026, 0, 1));
    registry = new IndexRegistry({ folder, clock });
    registry.putTemplate('t', { index_patterns: ['s*'], data_stream: {} });
  });
  afterEach(() => {
    registry.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const look = (changed: Partial<RetentionSettings> = {}) =>
    applyRetention({ registry, settings: { ...settings, ...changed }, clock, log: silentLog });
  const write = (name: string, id: string, size = 10) => {
    const index = registry.writeTarget(name);
    const bytes = Buffer.from(JSON.stringify({ '@timestamp': clock.now(), x: 'b'.repeat(size) }));
    index.file.transaction(() => writeDocument(index, 'create', id, bytes));
  };
  const backingOf = (stream: string) => registry.streams.get(stream)!.indices.map(({ name }) => name);

  it('begins a new backing index when the current one is old, and not while it is empty', () => {
    write('s1', 'a');
    registry.createStream('s2');
    clock.advance(DAY_MS - 1);
    look();
    assert.equal(backingOf('s1').length, 1);
    clock.advance(1);
    look();
    assert.deepEqual(backingOf('s1'), ['.ds-s1-2026.01.01-000001', '.ds-s1-2026.01.02-000002']);
    assert.equal(backingOf('s2').length, 1);
  });

  it('begins a new backing index when the current one is large', () => {
    for (let n = 0; n < 100; n++) write('s1', String(n), 1000);
    look({ rolloverBytes: 200_000 });
    assert.equal(backingOf('s1').length, 1);
    look({ rolloverBytes: 100_000 });
    assert.equal(backingOf('s1').length, 2);
  });

  it('drops an index so many days after it took its last write', () => {
    write('s1', 'a');
    clock.advance(DAY_MS);
    look();
    clock.advance(7 * DAY_MS - 1);
    look();
    assert.ok(backingOf('s1').includes('.ds-s1-2026.01.01-000001'));
    clock.advance(1);
    look();
    assert.ok(!backingOf('s1').includes('.ds-s1-2026.01.01-000001'));
    assert.equal(backingOf('s1').length, 1);
  });

  it('drops the oldest of all streams when together they are too large, but never what takes writes', () => {
    for (const stream of ['s1', 's2']) {
      for (let n = 0; n < 50; n++) write(stream, String(n), 2000);
      clock.advance(1000);
      registry.rollOver(stream);
    }
    const sizeOf = (stream: string) => registry.streams.get(stream)!.indices[0]!.file.sizeBytes;
    look({ keepBytes: sizeOf('s1') + sizeOf('s2') });
    assert.deepEqual([backingOf('s1').length, backingOf('s2').length], [1, 2]);
    look({ keepBytes: 0 });
    assert.deepEqual([backingOf('s1').length, backingOf('s2').length], [1, 1]);
  });

  it('leaves indices alone that belong to no stream', () => {
    write('plain', 'a');
    clock.advance(1000 * DAY_MS);
    look({ keepBytes: 0 });
    assert.equal(registry.search('plain').length, 1);
  });

  it('looks once a minute until it is stopped', async () => {
    write('s1', 'a');
    const retention = new Retention({ registry, settings, clock, log: silentLog });
    clock.advance(DAY_MS);
    while (backingOf('s1').length < 2) {
      await new Promise((resolve) => setImmediate(resolve));
      clock.advance(60_000);
    }
    await retention.stop();
    assert.equal(clock.sleeperCount, 0);
  });
});
