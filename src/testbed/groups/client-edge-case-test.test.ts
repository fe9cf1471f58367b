import assert from 'node:assert/strict';
import net from 'node:net';
import { test } from 'node:test';
import { rawRequest } from '../../kernel/testing/raw-client.ts';
import { startTestbed } from '../testing/start-testbed.ts';

const MiB = 1024 * 1024;
const requestFor = (path: string) => `GET ${path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n`;

test('a public service has no bombs', async () => {
  await using testbed = await startTestbed({ settings: { isPublic: true } });
  const { status, body } = await rawRequest(testbed.port, requestFor('/bomb/gzip?size=1'));
  assert.equal(status, 403);
  assert.match(body.toString(), /this service is public/);
});

test('the size of a bomb has the limit of the settings', async () => {
  await using testbed = await startTestbed({ settings: { limits: { maxBombBytes: 5000 } } });
  const within = await rawRequest(testbed.port, requestFor('/bomb/zstd?size=5000'));
  const above = await rawRequest(testbed.port, requestFor('/bomb/zstd?size=5001'));
  assert.equal(within.status, 200);
  assert.equal(above.status, 400);
});

test('a bomb of 512 MiB costs the service next to no memory', async () => {
  await using testbed = await startTestbed();
  const before = process.memoryUsage.rss();
  let highest = before;
  const watch = setInterval(() => {
    highest = Math.max(highest, process.memoryUsage.rss());
  }, 10);
  const answer = await rawRequest(testbed.port, requestFor(`/bomb/zstd?size=${512 * MiB}`), {
    waitMs: 60_000,
  });
  clearInterval(watch);
  assert.equal(answer.header('x-original-length'), String(512 * MiB));
  assert.match(answer.wire.toString('latin1', answer.wire.length - 60), /X-Ratio: \d{4,}\r\n\r\n$/);
  assert.ok(highest - before < 100 * MiB, `memory grew by ${Math.round((highest - before) / MiB)} MiB`);
});

test('a bomb stops when its client leaves', async () => {
  await using testbed = await startTestbed();
  const socket = net.connect(testbed.port, '127.0.0.1');
  socket.write(requestFor(`/bomb/gzip?size=${1024 * MiB}`));
  await new Promise((resolve) => socket.once('data', resolve));
  socket.destroy();
  const { status } = await rawRequest(testbed.port, requestFor('/vary/none'));
  assert.equal(status, 200);
  assert.deepEqual(testbed.errors, []);
});
