import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../kernel/faults.ts';
import { DuplicateKey, StaleRevision, StoreUnavailable } from '../store/contract.ts';
import { asStoreFault } from './store-faults.ts';

test('a database that is away is a 503 that says when to come back', () => {
  const told = asStoreFault(new StoreUnavailable());
  assert.ok(told instanceof Fault);
  assert.deepEqual([told.status, told.headers], [503, ['Retry-After', '5']]);
});

test('a document that was changed meanwhile is a 412', () => {
  assert.equal((asStoreFault(new StaleRevision('users', '1')) as Fault).status, 412);
});

test('a taken key is for the feature to tell, like everything else', () => {
  const error = new DuplicateKey('users', ['name']);
  assert.equal(asStoreFault(error), error);
});
