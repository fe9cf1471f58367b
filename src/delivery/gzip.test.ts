import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { Gzip } from './gzip.ts';

const record = '{"method":"GET","status":200,"path":"/orders"}\n';
const bodies = [
  Buffer.from('{}'),
  Buffer.from(record),
  Buffer.from(record.repeat(3000)),
  // Hardly gets smaller: many pieces of output.
  randomBytes(700_000),
  Buffer.from(record.repeat(40_000)),
];

test('each body becomes a whole gzip file of its own, however many are compressed at once', async () => {
  const gzip = new Gzip();
  const wanted = Array.from({ length: 60 }, (_, n) => bodies[n % bodies.length]!);
  const files = await Promise.all(wanted.map((body) => gzip.compress(body)));
  for (const [index, file] of files.entries())
    assert.ok(gunzipSync(file).equals(wanted[index]!), `body ${index} came out as another one`);
});

test('bodies one after the other', async () => {
  const gzip = new Gzip();
  for (const body of [...bodies, ...bodies]) assert.ok(gunzipSync(await gzip.compress(body)).equals(body));
});

test('a compressed body keeps no more memory than it is long', async () => {
  const gzip = new Gzip();
  const [file] = await Promise.all([gzip.compress(randomBytes(10_000)), gzip.compress(bodies[2]!)]);
  assert.equal(file.buffer.byteLength, file.length);
});
