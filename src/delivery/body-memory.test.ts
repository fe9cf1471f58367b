import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BodyMemory, blockBytes } from './body-memory.ts';

test('a block is at most an eighth larger than asked for, from 4 KB on', () => {
  assert.equal(blockBytes(1), 4096);
  for (let bytes = 4096; bytes < 5_000_000; bytes = Math.ceil(bytes * 1.013)) {
    const block = blockBytes(bytes);
    assert.ok(block >= bytes && block <= bytes * 1.125, `${bytes} → ${block}`);
    assert.equal(blockBytes(block), block, 'a block that was given back serves its own size');
  }
});

test('a block that was given back is used again, never by two at once', () => {
  const memory = new BodyMemory();
  const block = memory.take(10_000);
  memory.giveBack(block);
  assert.equal(memory.take(10_000), block);
  assert.notEqual(memory.take(10_000), block);
});

test('what lies ready is bounded', () => {
  const memory = new BodyMemory();
  const megabyte = 1_048_576;
  const blocks = Array.from({ length: 20 }, () => memory.take(megabyte));
  for (const block of blocks) memory.giveBack(block);
  const again = Array.from({ length: 20 }, () => memory.take(megabyte));
  assert.equal(again.filter((block) => blocks.includes(block)).length, 8);
});
