import assert from 'node:assert/strict';
import { test } from 'node:test';
import zlib from 'node:zlib';
import { rawRequest } from '../../kernel/testing/raw-client.ts';
import { sha256Hex } from '../content/integrity.ts';
import { startTestbed } from '../testing/start-testbed.ts';

const KiB = 1024;
const MiB = 1024 * KiB;

const post = (path: string, contentEncoding: string, body: Buffer) =>
  Buffer.concat([
    Buffer.from(
      `POST ${path} HTTP/1.1\r\nHost: test\r\nContent-Encoding: ${contentEncoding}\r\n` +
        `Content-Length: ${body.length}\r\nConnection: close\r\n\r\n`,
    ),
    body,
  ]);

const echo = '/encoding-test/request/echo';

const bombOf70MiB = Buffer.from(
  'z///fwAkAOKxQHLv//n//w+ABEAcFoDu/T////8BkACIwwLQvf/n//8/ABIAcVgAuvf/+f//BUACIA4LQPf+Cw==',
  'base64',
);

test('both forms of a body are told by length and digest', async () => {
  await using testbed = await startTestbed();
  const original = Buffer.from('x'.repeat(5000));
  const coded = zlib.zstdCompressSync(zlib.deflateRawSync(original));
  const { body } = await rawRequest(testbed.port, post(echo, 'deflate, zstd', coded));
  const told = JSON.parse(body.toString());
  assert.deepEqual(
    [told.rawLength, told.rawSha256, told.decodedLength, told.decodedSha256],
    [coded.length, sha256Hex(coded), original.length, sha256Hex(original)],
  );
});

test('content may unpack to the limit and not to a byte more', async () => {
  await using testbed = await startTestbed({ settings: { limits: { maxDecodedBytes: 64 * KiB } } });
  const within = await rawRequest(testbed.port, post(echo, 'gzip', zlib.gzipSync(Buffer.alloc(64 * KiB))));
  const above = await rawRequest(testbed.port, post(echo, 'gzip', zlib.gzipSync(Buffer.alloc(64 * KiB + 1))));
  assert.equal(within.status, 200);
  assert.equal(above.status, 413);
});

test('large content may not unpack to more than a thousand times its size', async () => {
  await using testbed = await startTestbed();
  const coded = zlib.brotliCompressSync(Buffer.alloc(11 * MiB), {
    params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 },
  });
  assert.ok(coded.length * 1000 < 11 * MiB);
  const { status } = await rawRequest(testbed.port, post(echo, 'br', coded));
  assert.equal(status, 413);
});

test('the layers of a chained bomb are bounded too', async () => {
  await using testbed = await startTestbed();
  const coded = zlib.gzipSync(zlib.gzipSync(Buffer.alloc(20 * MiB)));
  const { status } = await rawRequest(testbed.port, post(echo, 'gzip, gzip', coded));
  assert.equal(status, 413);
});

test('a bomb is refused before it is unpacked', async () => {
  await using testbed = await startTestbed({ settings: { limits: { maxDecodedBytes: 200 * MiB } } });
  const before = process.memoryUsage.rss();
  const { status } = await rawRequest(testbed.port, post(echo, 'br', bombOf70MiB));
  assert.equal(status, 413);
  assert.ok(process.memoryUsage.rss() - before < 50 * MiB);
});

for (const [name, bytes] of [
  ['no bytes', Buffer.alloc(0)],
  ['a wrong checksum', corruptChecksum(zlib.gzipSync('text'))],
  ['garbage behind it', Buffer.concat([zlib.gzipSync('text'), Buffer.from('garbage')])],
] as const) {
  test(`gzip with ${name} is refused as corrupt`, async () => {
    await using testbed = await startTestbed();
    const { status } = await rawRequest(testbed.port, post(echo, 'gzip', bytes));
    assert.equal(status, 400);
  });
}

function corruptChecksum(coded: Buffer): Buffer {
  coded[coded.length - 8]! ^= 1;
  return coded;
}
