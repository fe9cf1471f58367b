import assert from 'node:assert/strict';
import test from 'node:test';
import { PythonRandom, patternBytes, seededBytes } from './python-random.ts';

// Printed by CPython 3.11: random.seed(s), 16 × randint(0, 255), 5 × randint(1, 6), random().
const vectors = [
  [0n, 'c5d71484f8cf9bf4b76f47904730804b', [3, 1, 6, 1, 6], 0.33019721859799855],
  [1n, '4420823cfde6f1c26b30f90ec7dd01e4', [3, 6, 2, 5, 1], 0.9014274576114836],
  [42n, '390c8c7d7247342cd8100f2f6f770d65', [6, 6, 6, 5, 4], 0.2204406220406967],
  [-5n, '82b70eee7f1a5039bef07ec2347f066e', [4, 3, 2, 4, 2], 0.761925427594386],
  [2n ** 40n, '35b421da18c6cc27c9a3c08b16d0fabb', [1, 6, 2, 4, 2], 0.03879838873595309],
  [12345678901234567890n, 'e5a7b575f4ba4226591fe8f002b5f33a', [1, 5, 4, 2, 2], 0.6064252275904966],
] as const;

for (const [seed, hex, dice, float] of vectors) {
  test(`seed ${seed} draws what CPython draws`, () => {
    const random = new PythonRandom(seed);
    assert.equal(random.bytes(16).toString('hex'), hex);
    assert.deepEqual(
      Array.from({ length: 5 }, () => random.integer(1, 6)),
      dice,
    );
    assert.equal(random.float(), float);
  });
}

test('a number and a big integer of the same value are the same seed', () => {
  assert.deepEqual(seededBytes(2 ** 40, 32), seededBytes(2n ** 40n, 32));
});

test('drawing in pieces gives the same bytes as drawing at once', () => {
  const random = new PythonRandom(7);
  const pieces = [random.bytes(1000), random.bytes(1), random.bytes(2000)];
  assert.deepEqual(Buffer.concat(pieces), seededBytes(7, 3001));
});

test('the pattern repeats a to z and can begin anywhere', () => {
  assert.equal(patternBytes(28).toString(), 'abcdefghijklmnopqrstuvwxyzab');
  assert.equal(patternBytes(4, 24).toString(), 'yzab');
  assert.equal(patternBytes(3, 26 * 1000 + 1).toString(), 'bcd');
  assert.equal(patternBytes(0).length, 0);
});
