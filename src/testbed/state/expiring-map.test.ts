import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ManualClock } from '../../kernel/testing/manual-clock.ts';
import { ExpiringMap } from './expiring-map.ts';

function mapOf(maxEntries: number) {
  const clock = new ManualClock();
  return { clock, map: new ExpiringMap<number>(clock, { maxEntries, lifetimeMs: 1000 }) };
}

describe('ExpiringMap', () => {
  test('keeps an entry until its lifetime is over', () => {
    const { clock, map } = mapOf(10);
    map.set('a', 1);
    clock.advance(999);
    assert.equal(map.peek('a'), 1);
    clock.advance(1);
    assert.equal(map.peek('a'), undefined);
    assert.equal(map.size, 0);
  });

  test('a touch lets an entry live on, a look does not', () => {
    const { clock, map } = mapOf(10);
    map.set('touched', 1);
    map.set('seen', 2);
    clock.advance(600);
    map.touch('touched', () => 9);
    map.peek('seen');
    clock.advance(600);
    assert.equal(map.peek('touched'), 1);
    assert.equal(map.peek('seen'), undefined);
  });

  test('makes an entry anew once it is gone', () => {
    const { clock, map } = mapOf(10);
    map.set('a', 1);
    clock.advance(1000);
    assert.equal(
      map.touch('a', () => 2),
      2,
    );
  });

  test('when full, the entry untouched the longest makes room', () => {
    const { map } = mapOf(2);
    map.set('a', 1);
    map.set('b', 2);
    map.touch('a', () => 9);
    map.set('c', 3);
    assert.deepEqual([map.peek('a'), map.peek('b'), map.peek('c')], [1, undefined, 3]);
    assert.equal(map.size, 2);
  });

  test('deleting tells whether something was there', () => {
    const { map } = mapOf(2);
    map.set('a', 1);
    assert.equal(map.delete('a'), true);
    assert.equal(map.delete('a'), false);
  });
});
