import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import net from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseRawAnswer } from '../../kernel/testing/raw-answer.ts';
import { rawRequest } from '../../kernel/testing/raw-client.ts';
import { type StartedTestbed, startTestbed } from '../testing/start-testbed.ts';

const MiB = 1024 * 1024;

let testbed: StartedTestbed;
before(async () => {
  testbed = await startTestbed();
});
after(() => testbed.close());

/** A request head of this length; the body is for the caller to send. */
function head(path: string, ...fields: string[]): string {
  return [`POST /proxy-test/body${path} HTTP/1.1`, 'Host: a', 'Connection: close', ...fields, '', ''].join(
    '\r\n',
  );
}

async function answerOf(socket: net.Socket) {
  const received: Buffer[] = [];
  for await (const chunk of socket) received.push(chunk);
  return parseRawAnswer(Buffer.concat(received), 'POST');
}

/** Sends so many blocks to be verified; gives the most memory that was seen meanwhile. */
async function verify(block: Buffer, count: number) {
  const hash = createHash('sha256');
  for (let index = 0; index < count; index++) hash.update(block);
  const sha256 = hash.digest('hex');
  const length = count * block.length;
  const socket = net.connect(testbed.port, '127.0.0.1');
  const answered = answerOf(socket);
  socket.write(head('/binary/verify', `Content-Length: ${length}`, `X-Expected-Sha256: ${sha256}`));
  let peak = 0;
  for (let index = 0; index < count; index++) {
    if (!socket.write(block)) await once(socket, 'drain');
    peak = Math.max(peak, process.memoryUsage.rss());
  }
  const answer = await answered;
  assert.equal(answer.status, 200, answer.body.toString());
  const verdict = JSON.parse(answer.body.toString());
  assert.deepEqual([verdict.ok, verdict.actual, verdict.length], [true, sha256, length]);
  return peak;
}

test('a body of 256 MiB is verified without keeping it', async () => {
  const block = Buffer.alloc(MiB, 'gatehouse');
  // What the first bytes cost both ends of a connection, which live in this process, is no growth.
  await verify(block, 32);
  const before = process.memoryUsage.rss();
  const peak = await verify(block, 256);
  assert.ok(peak - before < 100 * MiB, `resident memory grew by ${Math.round((peak - before) / MiB)} MiB`);
});

test('a client that reads nothing before it has sent everything gets its echo', async () => {
  const content = Buffer.alloc(24 * MiB, 'echo');
  const socket = net.connect(testbed.port, '127.0.0.1');
  socket.pause();
  socket.write(head('/binary/echo', `Content-Length: ${content.length}`));
  await new Promise<void>((resolve) => socket.write(content, () => resolve()));
  const answer = await answerOf(socket);
  assert.equal(answer.status, 200);
  assert.ok(answer.body.equals(content));
});

test('the echo begins before the body is complete', async () => {
  const socket = net.connect(testbed.port, '127.0.0.1');
  socket.write(`${head('/binary/echo', 'Transfer-Encoding: chunked')}5\r\nfirst\r\n`);
  let seen = '';
  while (!seen.includes('first')) seen += (await once(socket, 'data')).toString();
  socket.write('6\r\nsecond\r\n0\r\n\r\n');
  for await (const chunk of socket) seen += chunk.toString();
  assert.match(seen, /^HTTP\/1\.1 200 /);
  assert.match(seen, /\r\n6\r\nsecond\r\n0\r\n/);
  assert.deepEqual(testbed.errors, []);
});

test('HTTP/1.0 gets its echo without trailers', async () => {
  const request = 'POST /proxy-test/body/binary/echo HTTP/1.0\r\nContent-Length: 2\r\n\r\nhi';
  const answer = await rawRequest(testbed.port, request);
  assert.equal(answer.body.toString(), 'hi');
  const none = await rawRequest(testbed.port, 'POST /proxy-test/body/binary/echo HTTP/1.0\r\n\r\n');
  assert.deepEqual([none.status, none.body.length, none.header('trailer')], [200, 0, undefined]);
});

test('sha-512 of Content-Digest is compared, unknown algorithms are passed over', async () => {
  const sha512 = createHash('sha512').update('hi').digest('base64');
  const good = `Content-Digest: sha-512=:${sha512}:, md5=:AAAA:`;
  const answer = await rawRequest(testbed.port, `${head('/binary/verify', 'Content-Length: 2', good)}hi`);
  assert.partialDeepStrictEqual(JSON.parse(answer.body.toString()), { ok: true, algorithm: 'sha-512' });
  const bad = await rawRequest(testbed.port, `${head('/binary/verify', 'Content-Length: 2', good)}ho`);
  assert.equal(bad.status, 422);
});

test('a body over the limit of the verify endpoints is refused, declared or not', async () => {
  await using small = await startTestbed({ settings: { limits: { maxVerifyBytes: 10, maxBodyBytes: 10 } } });
  for (const path of [
    '/binary/verify',
    '/large-json/verify',
    '/large-json/echo',
    '/form/echo',
    '/empty/204',
  ]) {
    const declared = await rawRequest(small.port, head(path, 'Content-Length: 11', 'Expect: 100-continue'));
    assert.equal(declared.status, 413, path);
    assert.deepEqual(declared.interim, [], 'nobody asks for a body that will be refused');
    const chunked = await rawRequest(
      small.port,
      `${head(path, 'Transfer-Encoding: chunked')}b\r\n["456789ab"\r\n`,
    );
    assert.equal(chunked.status, 413, path);
  }
  const echoed = await rawRequest(small.port, head('/binary/echo', 'Content-Length: 11'));
  assert.equal(echoed.status, 413);
});

test('an echo that grows over the limit is broken off so that the client can tell', async () => {
  await using small = await startTestbed({ settings: { limits: { maxBodyBytes: 10 } } });
  const answer = await rawRequest(
    small.port,
    `${head('/binary/echo', 'Transfer-Encoding: chunked')}b\r\n0123456789a\r\n0\r\n\r\n`,
  );
  assert.doesNotMatch(answer.wire.toString('latin1'), /\r\n0\r\n/);
});

test('a client that leaves in the middle of its echo leaves nothing behind', async () => {
  const socket = net.connect(testbed.port, '127.0.0.1');
  socket.write(`${head('/binary/echo', 'Content-Length: 1000000')}begin`);
  await once(socket, 'data');
  socket.destroy();
  await sleep(50);
  assert.deepEqual(testbed.errors, []);
});
