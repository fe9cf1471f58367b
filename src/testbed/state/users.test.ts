import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Contacts } from './contacts.ts';
import { Users } from './users.ts';

test('ids are given in order and skip those that were chosen', () => {
  const users = new Users();
  users.create({ id: 2, name: 'chosen' });
  assert.deepEqual(users.create({ name: 'a' }), { id: 1, name: 'a' });
  assert.deepEqual(users.create({ name: 'b' }), { id: 3, name: 'b' });
  assert.equal(users.create({ id: 3 }), 'exists');
  assert.deepEqual(
    users.list().map(({ id }) => id),
    [1, 2, 3],
  );
  users.remove(3);
  assert.equal((users.create({}) as { id: number }).id, 4);
  assert.equal(users.clear(), 3);
  assert.deepEqual(users.create({}), { id: 1 });
});

test('a merge patch changes, adds and takes away, but never the id', () => {
  const users = new Users();
  users.create({ name: 'a', age: 3 });
  assert.deepEqual(users.merge(1, { age: null, salary: 2, id: 9 }), { name: 'a', salary: 2, id: 1 });
  assert.equal(users.merge(2, {}), undefined);
});

test('both stores are bounded', () => {
  const users = new Users();
  const contacts = new Contacts();
  for (let id = 1; id <= 10_000; id++) {
    users.create({ id });
    contacts.create({ id, name: 'x' });
  }
  assert.equal(users.create({}), 'full');
  assert.equal(users.replace({ id: 10_001 }), 'full');
  assert.deepEqual(users.replace({ id: 1, name: 'y' }), { id: 1, name: 'y' });
  assert.equal(contacts.create({ id: 10_001, name: 'x' }), 'full');
  assert.equal(contacts.create({ id: 1, name: 'x' }), 'exists');
  assert.equal(contacts.replace({ id: 1, name: 'y' }), true);
});
