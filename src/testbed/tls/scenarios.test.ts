import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extraScenarios, portOf, scenarios } from './scenarios.ts';

test('there are forty scenarios, and the extras stand behind them', () => {
  assert.equal(scenarios.length, 40);
  assert.equal(extraScenarios.length, 14);
  const all = [...scenarios, ...extraScenarios];
  assert.deepEqual(
    all.map(portOf),
    Array.from({ length: 54 }, (_, index) => 20443 + index),
  );
  assert.equal(new Set(all.map(({ id }) => id)).size, 54);
});

test('whatever is expected to fail says how, and whatever works says nothing', () => {
  for (const { id, expected, expectedError } of [...scenarios, ...extraScenarios]) {
    const said = Object.values(expectedError).filter((error) => error !== null);
    if (expected === 'fail') assert.ok(said.length > 0, id);
    if (expected === 'ok') assert.deepEqual(said, [], id);
  }
});

test('versions are in order and old ones come with a lowered security level', () => {
  for (const { id, tls, ciphers } of scenarios) {
    assert.ok(tls.min <= tls.max, id);
    if (tls.min < '1.2') assert.match(ciphers, /@SECLEVEL=0/, id);
  }
});
