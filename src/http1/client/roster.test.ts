import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_PLACE, Roster } from './roster.ts';

const member = (name: string) => ({ name, rosterPlace: NO_PLACE });

test('whoever leaves makes room for the last, and the others stay', () => {
  const roster = new Roster<ReturnType<typeof member>>();
  const [a, b, c] = [member('a'), member('b'), member('c')];
  for (const one of [a, b, c]) roster.add(one);
  assert.equal(roster.delete(a), true);
  assert.deepEqual(new Set(roster.members()), new Set([b, c]));
  assert.equal(roster.delete(c), true);
  assert.equal(roster.delete(b), true);
  assert.equal(roster.size, 0);
});

test('nobody leaves twice, or a roster he is not in', () => {
  const [roster, other] = [new Roster(), new Roster()];
  const [a, b] = [member('a'), member('b')];
  roster.add(a);
  other.add(b);
  assert.equal(roster.delete(b), false);
  assert.equal(roster.delete(a), true);
  assert.equal(roster.delete(a), false);
  assert.deepEqual(other.members(), [b]);
});

test('members may leave while somebody walks through them', () => {
  const roster = new Roster();
  for (const name of ['a', 'b', 'c']) roster.add(member(name));
  for (const one of roster.members()) roster.delete(one);
  assert.equal(roster.size, 0);
});
