import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startDiagnosedModule } from './testing/start-diagnosed-module.ts';

/**
 * The bench (`npm run bench -- diagnostics`) measures the real bars, 10 ms and 50 ms, from outside. This test shares its
 * process with the client and its machine with other tests, so it is generous.
 */
const bars: ReadonlyArray<readonly [name: string, mostMs: number]> = [
  ['jvm', 50],
  ['threads', 50],
  ['threaddump', 100],
  ['connections', 50],
  ['env', 50],
  ['health', 50],
  ['all', 50],
];
const CALLS = 20;

const pod = await startDiagnosedModule();
after(() => pod.close());

async function longestGapDuring(act: () => Promise<unknown>): Promise<number> {
  let longestMs = 0;
  let lastMs = performance.now();
  let isWatching = true;
  const turn = () => {
    const now = performance.now();
    longestMs = Math.max(longestMs, now - lastMs);
    lastMs = now;
    if (isWatching) setImmediate(turn);
  };
  setImmediate(turn);
  await act();
  isWatching = false;
  return longestMs;
}

for (const [name, mostMs] of bars) {
  test(`a warm call of ${name} holds up the event loop for less than ${mostMs} ms`, async () => {
    const ask = async () => (await pod.get(`${name}?internal=true`)).arrayBuffer();
    for (let call = 0; call < 5; call++) await ask();
    const gaps: number[] = [];
    for (let call = 0; call < CALLS; call++) gaps.push(await longestGapDuring(ask));
    const median = gaps.toSorted((a, b) => a - b)[CALLS / 2]!;
    assert.ok(median < mostMs, `${median.toFixed(1)} ms`);
  });
}
