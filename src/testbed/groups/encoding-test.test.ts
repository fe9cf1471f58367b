import assert from 'node:assert/strict';
import net from 'node:net';
import { describe, test } from 'node:test';
import zlib from 'node:zlib';
import { rawRequest } from '../../kernel/testing/raw-client.ts';
import { codings, decodeWhole } from '../content/codings.ts';
import { type CorruptibleCoding, corruptions } from '../content/corruption.ts';
import { sampleNames } from '../content/encoding-samples.ts';
import { sha256Hex } from '../content/integrity.ts';
import { startTestbed } from '../testing/start-testbed.ts';

const MiB = 1024 * 1024;
const requestFor = (path: string, method = 'GET', fields = '') =>
  `${method} ${path} HTTP/1.1\r\nHost: test\r\n${fields}Connection: close\r\n\r\n`;

describe('encoding test', { concurrency: 4 }, () => {
  for (const coding of codings) {
    test(`every sample in ${coding} decodes to what its original headers say`, async () => {
      await using testbed = await startTestbed();
      for (const name of sampleNames) {
        const answer = await rawRequest(testbed.port, requestFor(`/encoding-test/${coding}/${name}`));
        const decoded = await decodeWhole(coding, answer.body, MiB);
        assert.equal(answer.status, 200);
        assert.equal(answer.header('content-encoding'), coding === 'identity' ? undefined : coding);
        assert.equal(answer.header('x-original-length'), String(decoded.length), name);
        assert.equal(answer.header('x-original-sha256'), sha256Hex(decoded), name);
        assert.equal(answer.header('x-body-sha256'), sha256Hex(answer.body), name);
      }
    });

    test(`HEAD shows the same fields as GET in ${coding}`, async () => {
      await using testbed = await startTestbed();
      const lasting = (wire: Buffer) =>
        wire
          .toString('latin1')
          .split('\r\n\r\n', 1)[0]!
          .replace(/\r\n(date|x-request-id):[^\r]*/gi, '');
      const path = `/encoding-test/head/${coding}`;
      const get = await rawRequest(testbed.port, requestFor(path));
      const head = await rawRequest(testbed.port, requestFor(path, 'HEAD'));
      assert.equal(lasting(head.wire), lasting(get.wire));
      assert.equal(head.body.length, 0);
    });

    test(`a large body in ${coding} arrives whole`, async () => {
      await using testbed = await startTestbed();
      const path = `/encoding-test/large/${coding}?size=${3 * MiB}`;
      const answer = await rawRequest(testbed.port, requestFor(path));
      const decoded = await decodeWhole(coding, answer.body, 4 * MiB);
      assert.equal(decoded.length, 3 * MiB);
      assert.equal(answer.header('x-original-sha256'), sha256Hex(decoded));
    });
  }

  const incremental = {
    gzip: () => zlib.createGunzip(),
    deflate: () => zlib.createInflate(),
    br: () => zlib.createBrotliDecompress(),
    zstd: () => zlib.createZstdDecompress(),
  };

  for (const [coding, createDecoder] of Object.entries(incremental)) {
    test(`each chunk of ${coding} can be decoded before the next is sent`, async () => {
      await using testbed = await startTestbed();
      const socket = net.connect(testbed.port, '127.0.0.1');
      const decoder = createDecoder();
      try {
        socket.write(requestFor(`/encoding-test/chunked/${coding}?chunks=2&delay=60000`));
        const decoded = decoder.setEncoding('utf8');
        feedChunks(socket, (chunk) => decoder.write(chunk));
        const [line] = await decoded.take(1).toArray();
        assert.equal(line, 'chunk 1\n');
      } finally {
        socket.destroy();
      }
    });
  }

  for (const coding of ['gzip', 'deflate', 'br', 'zstd'] as const satisfies CorruptibleCoding[]) {
    test(`no corruption of ${coding} decodes to the content on the way over the wire`, async () => {
      await using testbed = await startTestbed();
      for (const kind of corruptions.filter((one) => one !== 'bad-crc' || coding !== 'br')) {
        const answer = await rawRequest(
          testbed.port,
          requestFor(`/encoding-test/corrupted/${coding}?kind=${kind}`),
        );
        const outcome = await decodeWhole(coding, answer.body, MiB).then(sha256Hex, () => 'refused');
        assert.notEqual(outcome, answer.header('x-original-sha256'), kind);
        assert.equal(answer.header('content-length'), String(answer.body.length), kind);
      }
    });
  }

  test('a transfer coding is undone to the content', async () => {
    await using testbed = await startTestbed();
    for (const coding of ['gzip', 'deflate'] as const) {
      const path = `/encoding-test/transfer-encoding/${coding}`;
      const answer = await rawRequest(testbed.port, requestFor(path, 'GET', `TE: ${coding}\r\n`));
      const coded = unchunked(answer.wire.subarray(answer.wire.indexOf('\r\n\r\n') + 4));
      const decoded = await decodeWhole(coding, coded, MiB);
      assert.equal(sha256Hex(decoded), answer.header('x-original-sha256'));
    }
  });

  test('a public service refuses a length that leaves bytes over, and only that', async () => {
    await using testbed = await startTestbed({ settings: { isPublic: true } });
    const short = await rawRequest(testbed.port, requestFor('/encoding-test/wrong-length/gzip?delta=-1'));
    const long = await rawRequest(testbed.port, requestFor('/encoding-test/wrong-length/gzip?delta=1'));
    assert.equal(short.status, 403);
    assert.equal(long.status, 200);
  });

  test('a wrong length is answered to HEAD without a body', async () => {
    await using testbed = await startTestbed();
    const { wire } = await rawRequest(
      testbed.port,
      requestFor('/encoding-test/wrong-length/identity', 'HEAD'),
    );
    assert.match(wire.toString('latin1'), /Content-Length: 2210\r\n[\s\S]*\r\n\r\n$/);
  });

  test('a body above the stream limit is refused', async () => {
    await using testbed = await startTestbed({ settings: { limits: { maxStreamBytes: 1000 } } });
    const within = await rawRequest(testbed.port, requestFor('/encoding-test/large/identity?size=1000'));
    const above = await rawRequest(testbed.port, requestFor('/encoding-test/large/identity?size=1001'));
    assert.equal(within.body.length, 1000);
    assert.equal(above.status, 400);
  });
});

/** Hands on the content of each chunk as soon as it is whole. */
function feedChunks(socket: net.Socket, take: (chunk: Buffer) => void): void {
  let received = Buffer.alloc(0);
  let isInBody = false;
  socket.on('data', (piece: Buffer) => {
    received = Buffer.concat([received, piece]);
    const headEnd = received.indexOf('\r\n\r\n');
    if (!isInBody && headEnd >= 0) {
      isInBody = true;
      received = received.subarray(headEnd + 4);
    }
    for (let chunk = isInBody ? chunkAt(received) : undefined; chunk; chunk = chunkAt(received)) {
      take(chunk.content);
      received = received.subarray(chunk.end);
    }
  });
}

function unchunked(bytes: Buffer): Buffer {
  const pieces: Buffer[] = [];
  for (
    let rest = bytes, chunk = chunkAt(rest);
    chunk;
    rest = rest.subarray(chunk.end), chunk = chunkAt(rest)
  ) {
    pieces.push(chunk.content);
  }
  return Buffer.concat(pieces);
}

function chunkAt(bytes: Buffer): { content: Buffer; end: number } | undefined {
  const lineEnd = bytes.indexOf('\r\n');
  if (lineEnd < 0) return undefined;
  const size = Number.parseInt(bytes.toString('latin1', 0, lineEnd), 16);
  const end = lineEnd + 2 + size + 2;
  return size === 0 || bytes.length < end
    ? undefined
    : { content: bytes.subarray(lineEnd + 2, end - 2), end };
}
