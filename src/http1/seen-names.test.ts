import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldNameAt } from './seen-names.ts';

const read = (name: string) => fieldNameAt(`>${name}: value`, 1, 1 + name.length);

test('a name comes back as it was sent, however it was spelled before', () => {
  const names = [
    'Host',
    'host',
    'HOST',
    'hoSt',
    'X-Long-Enough-To-Be-A-Slice',
    'x-long-enough-to-be-a-slice',
  ];
  for (const name of [...names, ...names.toReversed(), ...names]) assert.equal(read(name), name);
});

test('names that share their length, first and last letter do not take each other’s place', () => {
  for (const name of ['X-Abcd', 'X-Bacd', 'X-Abcd', 'X-Cbad']) assert.equal(read(name), name);
});

test('any number of names and any length of them is read', () => {
  for (let count = 0; count < 5000; count++) assert.equal(read(`x-${count}-name`), `x-${count}-name`);
  assert.equal(read('x'.repeat(5000)), 'x'.repeat(5000));
});
