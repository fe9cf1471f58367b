import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WriteGate } from './write-gate.ts';

test('writes beyond the bound are sent away until there is room again', async () => {
  const gate = new WriteGate(100);
  const { promise: release, resolve } = Promise.withResolvers<void>();
  const first = gate.pass(60, () => release);
  const second = gate.pass(40, () => release);
  await assert.rejects(
    gate.pass(1, async () => {}),
    { status: 429, type: 'rejected_execution_exception' },
  );
  resolve();
  await Promise.all([first, second]);
  assert.equal(await gate.pass(1000, async () => 'alone it has room'), 'alone it has room');
  await assert.rejects(
    gate.pass(1, async () => Promise.reject(new Error('failed'))),
    /failed/,
  );
  assert.equal(
    await gate.pass(100, async () => 'a failed write leaves no trace'),
    'a failed write leaves no trace',
  );
});
