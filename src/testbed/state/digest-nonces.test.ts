import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../kernel/clock.ts';
import { DigestNonces } from './digest-nonces.ts';

test('each count of a nonce is good once, in any order within the window', () => {
  const nonces = new DigestNonces(systemClock);
  const outcomes = [1, 3, 2, 2, 1, 40, 10, 9, 39, 39, 40, 41].map((count) => nonces.use('n', count));
  assert.deepEqual(outcomes, [true, true, true, false, false, true, true, false, true, false, false, true]);
  assert.ok(nonces.use('other', 1));
});
