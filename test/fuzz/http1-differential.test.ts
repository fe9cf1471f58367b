import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readWithEngine } from './engine-reading.ts';
import { compareWithLlhttp, describeFailure, explanationOf, runCampaign } from './http1-differential.ts';
import { knownDifferences } from './known-differences.ts';
import { firstDifference, type Reading, type ReadMessage } from './reading.ts';

const SEED = 20260401;
const CASES = 50_000;

describe('the HTTP/1.1 engine beside llhttp', () => {
  it(`reads ${CASES} generated connections alike, whole and in pieces`, async () => {
    const outcome = await runCampaign({ seed: SEED, cases: CASES });
    assert.equal(outcome.failures.map((failure) => describeFailure(SEED, failure)).join('\n'), '');
    assert.equal(outcome.caseCount, CASES);
    // Neither all valid nor all broken, and most of it comparable: else the run would prove little.
    assert.ok(outcome.requestCount > CASES / 2, `${outcome.requestCount} requests were read whole`);
    assert.ok(outcome.refusedCount > CASES / 4, `${outcome.refusedCount} connections were refused`);
    const explainedCount = [...outcome.explained.values()].reduce((sum, count) => sum + count, 0);
    assert.ok(explainedCount < CASES / 4, `${explainedCount} cases ended in a known difference`);
  });

  for (const known of knownDifferences) {
    it(`differs as known: ${known.id}`, async () => {
      const ours = await readWithEngine(Buffer.from(known.example, 'latin1'));
      const disagreement = compareWithLlhttp(known.example, ours);
      assert.ok(disagreement, 'the two agree about the example');
      assert.equal(explanationOf(disagreement)?.id, known.id);
    });
  }
});

describe('comparing two readings', () => {
  const message: ReadMessage = {
    method: 'POST',
    target: '/',
    version: '1.1',
    headers: ['Host', 'a'],
    keepsAlive: true,
    isComplete: true,
    body: 'b',
    trailers: ['T', 'v'],
  };
  const readingOf = (...messages: ReadMessage[]): Reading => ({ messages, end: { kind: 'waiting' } });

  const changes: [aspect: string, change: Partial<ReadMessage>][] = [
    ['method', { method: 'PUT' }],
    ['target', { target: '/x' }],
    ['version', { version: '1.0' }],
    ['headers', { headers: ['host', 'a'] }],
    ['headers', { headers: ['Host', 'a', 'Host', 'a'] }],
    ['complete', { isComplete: false }],
    ['body', { body: '' }],
    ['trailers', { trailers: [] }],
    ['keepsAlive', { keepsAlive: false }],
  ];
  for (const [aspect, change] of changes) {
    it(`sees ${JSON.stringify(change)}`, () => {
      const found = firstDifference(
        readingOf(message, message),
        readingOf(message, { ...message, ...change }),
      );
      assert.deepEqual(found, { messageNo: 1, aspect });
    });
  }

  it('sees a request that only one of them found', () => {
    const found = { messageNo: 1, aspect: 'head taken' };
    assert.deepEqual(firstDifference(readingOf(message), readingOf(message, message)), found);
    assert.deepEqual(firstDifference(readingOf(message, message), readingOf(message)), found);
  });
});
