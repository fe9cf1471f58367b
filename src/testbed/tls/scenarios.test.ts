import assert from 'node:assert/strict';
import { test } from 'node:test';
import { certificateRecipes } from './certificate-recipes.ts';
import { everyScenario, extraScenarios } from './extra-scenarios.ts';
import { placeOf } from './place.ts';
import { scenarios } from './scenarios.ts';

test('there are forty scenarios, and the extras stand behind them', () => {
  assert.equal(scenarios.length, 40);
  assert.equal(extraScenarios.length, 14);
  assert.deepEqual(
    everyScenario.map(({ number }) => number),
    Array.from({ length: 54 }, (_, index) => 1 + index),
  );
  assert.equal(new Set(everyScenario.map(({ id }) => id)).size, 54);
});

test('whatever is expected to fail says how, and whatever works says nothing', () => {
  for (const { id, expected, expectedError } of everyScenario) {
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

test('issuers stand before the certificates they issue', () => {
  const known = new Set<string>(['self']);
  for (const [name, { issuer }] of Object.entries(certificateRecipes(placeOf({ port: 0, tlsNames: [] })))) {
    assert.ok(known.has(issuer), name);
    known.add(name);
  }
});
