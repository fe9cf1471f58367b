import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deliveryFaults } from './faults/delivery-faults.ts';
import { managementFaults } from './faults/management-faults.ts';
import { podFaults } from './faults/pod-faults.ts';
import { requestFaults } from './faults/request-faults.ts';
import { testbedFaults } from './faults/testbed-faults.ts';
import { errorKeyOf, fault, faultTable } from './faults.ts';

test('no key stands in two lists, of which the later one would win', () => {
  const lists = [requestFaults, testbedFaults, managementFaults, deliveryFaults, podFaults];
  const keys = lists.flatMap((list) => Object.keys(list));
  assert.deepEqual(
    keys.filter((key, index) => keys.indexOf(key) !== index),
    [],
  );
  assert.deepEqual(Object.keys(faultTable), [...keys, 'internal.unexpected']);
});

test('a fault fills its text from its values; what is missing stays empty', () => {
  assert.equal(fault('user.not-found', { id: 7 }).message, 'There is no user 7.');
  assert.equal(fault('user.not-found').message, 'There is no user .');
});

test('the stable name of a reason is made from its key, unless its row gives one', () => {
  assert.equal(errorKeyOf('user.not-found'), 'USER_NOT_FOUND');
  assert.equal(errorKeyOf('parameter.missing'), 'VALIDATION_FAILED');
  assert.equal(errorKeyOf('toString'), 'TOSTRING', 'what every object has is no row');
});
