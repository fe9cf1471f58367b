import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../kernel/testing/manual-clock.ts';
import { SoapNonces } from './soap-nonces.ts';

test('a nonce is good once, until it is forgotten', () => {
  const clock = new ManualClock();
  const nonces = new SoapNonces(clock);
  assert.equal(nonces.use('a'), true);
  assert.equal(nonces.use('a'), false);
  assert.equal(nonces.use('b'), true);
  clock.advance(12 * 60_000);
  assert.equal(nonces.use('a'), true);
});
