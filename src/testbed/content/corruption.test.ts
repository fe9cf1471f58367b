import assert from 'node:assert/strict';
import { test } from 'node:test';
import zlib from 'node:zlib';
import { Fault } from '../../kernel/faults.ts';
import { type CorruptibleCoding, corrupted, garbageTail } from './corruption.ts';
import { samples } from './encoding-samples.ts';

const original = samples.text.bytes;
const maxOutputLength = 1024 * 1024;

const decoders: Readonly<Record<CorruptibleCoding, (bytes: Buffer) => Buffer>> = {
  gzip: (bytes) => zlib.gunzipSync(bytes, { maxOutputLength }),
  deflate: (bytes) => zlib.inflateSync(bytes, { maxOutputLength }),
  br: (bytes) => zlib.brotliDecompressSync(bytes, { maxOutputLength }),
  zstd: (bytes) => zlib.zstdDecompressSync(bytes, { maxOutputLength }),
};
const codings = Object.keys(decoders) as CorruptibleCoding[];

/** What decoding says: the content, or the code of the error. */
function outcome(coding: CorruptibleCoding, bytes: Buffer): Buffer | string {
  try {
    return decoders[coding](bytes);
  } catch (error) {
    return (error as NodeJS.ErrnoException).message;
  }
}

for (const coding of codings) {
  test(`${coding} that is cut off ends too early`, async () => {
    const said = outcome(coding, await corrupted(coding, original, 'truncated'));
    assert.match(String(said), /unexpected end of file|incomplete|Decompression failed/i);
  });

  test(`${coding} with an impossible header is refused by its first bytes`, async () => {
    const bytes = await corrupted(coding, original, 'bad-header');
    assert.equal(typeof outcome(coding, bytes), 'string');
    assert.equal(typeof outcome(coding, bytes.subarray(0, 16)), 'string');
  });

  test(`${coding} with a garbage tail is intact up to the tail`, async () => {
    const bytes = await corrupted(coding, original, 'garbage-tail');
    const intact = bytes.subarray(0, bytes.length - garbageTail.length);
    assert.deepEqual(bytes.subarray(intact.length), garbageTail);
    assert.deepEqual(outcome(coding, intact), original);
  });

  test(`${coding} with a flipped bit never gives the content`, async () => {
    const said = outcome(coding, await corrupted(coding, original, 'bit-flip'));
    assert.ok(typeof said === 'string' || !said.equals(original), 'the content came through unchanged');
  });

  test(`${coding} without any bytes gives nothing`, async () => {
    assert.deepEqual(await corrupted(coding, original, 'empty'), Buffer.alloc(0));
  });
}

for (const coding of ['gzip', 'deflate', 'zstd'] as const) {
  test(`${coding} with a wrong checksum fails by the checksum alone`, async () => {
    const bytes = await corrupted(coding, original, 'bad-crc');
    assert.match(String(outcome(coding, bytes)), /data check|checksum/i);
  });
}

test('br has no checksum that could be wrong', async () => {
  await assert.rejects(corrupted('br', original, 'bad-crc'), (error) => {
    return error instanceof Fault && error.key === 'parameter.invalid' && error.status === 400;
  });
});
