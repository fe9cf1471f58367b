import { writeSync } from 'node:fs';
import { openStore } from '../../src/store/open-store.ts';

/**
 * Writes into the data folder named by the first argument until it is killed, and prints a line only after the write it
 * speaks of was acknowledged.
 */
const store = await openStore({ dataFolder: process.argv[2]! });
const entries = store.collection<{ n: number; text: string }>({
  name: 'entries',
  unique: [['n']],
  indexed: [['text']],
});
const counters = store.collection<{ total: number }>({ name: 'counters', unique: [], indexed: [] });
const counterId = '000000000000000000000001';
if (!(await counters.get(counterId))) await counters.insert({ total: 0 }, counterId);

const first = await entries.count();
for (let n = first; ; n++) {
  const { id } = await entries.insert({ n: Math.random(), text: `entry ${n} `.repeat(50) });
  // Written at once, not by a stream: what was acknowledged must be known outside before the next write begins.
  writeSync(1, `entry ${id}\n`);
  const counter = await counters.change({ id: counterId }, { increment: { total: 1 } });
  writeSync(1, `total ${counter!.value.total}\n`);
  if (n % 10 === 0) {
    const batch = Array.from({ length: 20 }, () => ({ n: Math.random(), text: `batch ${n}` }));
    await entries.insertMany(batch);
    writeSync(1, `batch ${n}\n`);
  }
}
