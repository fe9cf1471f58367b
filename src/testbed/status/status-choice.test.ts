import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { chooseStatus } from './status-choice.ts';

describe('a list of codes', () => {
  const cases: Array<[codes: string, random: number, status: number]> = [
    ['503', 0.99, 503],
    ['200,503', 0, 200],
    ['200,503', 0.4999, 200],
    ['200,503', 0.5, 503],
    ['200:3,503', 0.74, 200],
    ['200:3,503', 0.76, 503],
    ['200:0.1,404:0.2,503:0.7', 0.05, 200],
    ['200:0.1,404:0.2,503:0.7', 0.25, 404],
    ['200:0.1,404:0.2,503:0.7', 0.9999999999999999, 503],
    ['200:0,404:1', 0, 404],
    ['404:1,200:0', 0.9999999999999999, 404],
    ['200:.5,404:1e1', 0.04, 200],
  ];
  for (const [codes, random, status] of cases) {
    test(`${codes} at ${random} is ${status}`, () =>
      assert.equal(
        chooseStatus(codes, () => random),
        status,
      ));
  }

  test('is chosen from in proportion to the weights', () => {
    const counts = new Map<number, number>();
    for (let step = 0; step < 1000; step++) {
      const status = chooseStatus('200:16,500:3,503:1', () => step / 1000);
      counts.set(status, (counts.get(status) ?? 0) + 1);
    }
    assert.deepEqual(Object.fromEntries(counts), { 200: 800, 500: 150, 503: 50 });
  });
});

describe('refused', () => {
  const refused = [
    'abc',
    '',
    '99',
    '1000',
    '200:0.5',
    '200,',
    '200:x,500',
    '200:1:2,500',
    '200:-1,500',
    '200:0,500:0',
    '2e2',
    '200:Infinity,5',
  ];
  for (const codes of refused) {
    test(JSON.stringify(codes), () => {
      assert.throws(() => chooseStatus(codes, () => 0), { key: 'parameter.invalid', status: 400 });
    });
  }
});
