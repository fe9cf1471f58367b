import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemRandom } from '../../kernel/random.ts';
import { currentCosts, Passwords } from './passwords.ts';
import { WorkGate } from './work-gate.ts';

const cheap = { memoryKib: 64, passes: 1, parallelism: 1 };
const passwords = new Passwords(systemRandom, cheap);

test('a password is right against its own hash, and against no other', async () => {
  const hash = await passwords.hash('open sesame');
  assert.equal(await passwords.isRight('open sesame', hash), true);
  assert.equal(await passwords.isRight('open sesam', hash), false);
  assert.equal(await passwords.isRight('open sesame', await passwords.hash('another')), false);
});

test('hashes are PHC strings of argon2id with a salt of their own', async () => {
  const [one, other] = [await passwords.hash('same'), await passwords.hash('same')];
  assert.match(one, /^\$argon2id\$v=19\$m=64,t=1,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.notEqual(one, other);
});

test('a hash that another implementation made is understood', async () => {
  // Of the command-line tool of the reference implementation: echo -n password | argon2 somesalt -id -t 2 -m 8 -p 1
  const hash = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';
  assert.equal(await passwords.isRight('password', hash), true);
  assert.equal(await passwords.isRight('passwore', hash), false);
});

test('the same letters typed as one code point or as two are the same password', async () => {
  assert.equal(await passwords.isRight('caf\u0065\u0301', await passwords.hash('caf\u00e9')), true);
});

test('without a hash, or with a broken one, no password is right', async () => {
  for (const hash of [undefined, '', 'x', '$argon2id$v=19$m=64,t=1,p=1$AAAA$AAAA'])
    assert.equal(await passwords.isRight('', hash), false);
});

test('hashes of other costs are outdated and still right', async () => {
  const stronger = new Passwords(systemRandom, { ...cheap, passes: 2 });
  const old = await passwords.hash('kept');
  assert.equal(passwords.isOutdated(old), false);
  assert.equal(stronger.isOutdated(old), true);
  assert.equal(await stronger.isRight('kept', old), true);
});

test('the costs in force are no less than what is held to be safe', () => {
  assert.ok(currentCosts.memoryKib >= 19_456 && currentCosts.passes >= 2 && currentCosts.parallelism >= 1);
});

test('only so much runs at once, the rest waits in order, and what does not fit in line is turned away', async () => {
  const gate = new WorkGate({ maxRunning: 2, maxWaiting: 3 });
  const begun: number[] = [];
  const ends: Array<() => void> = [];
  const works = [0, 1, 2, 3, 4].map((number) =>
    gate.pass(async () => {
      begun.push(number);
      await new Promise<void>((resolve) => ends.push(resolve));
      return number;
    }),
  );
  await assert.rejects(
    gate.pass(async () => 'never'),
    { key: 'sign-in.busy', status: 503 },
  );
  assert.deepEqual(begun, [0, 1]);
  for (let ended = 0; ended < works.length; ended++) {
    ends[ended]!();
    assert.equal(await works[ended], ended);
  }
  assert.deepEqual(begun, [0, 1, 2, 3, 4]);
});

test('work that fails makes room for the next', async () => {
  const gate = new WorkGate({ maxRunning: 1, maxWaiting: 1 });
  await assert.rejects(
    gate.pass(() => Promise.reject(new Error('broken'))),
    /broken/,
  );
  assert.equal(await gate.pass(async () => 'next'), 'next');
});
