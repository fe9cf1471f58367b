import assert from 'node:assert/strict';
import { test } from 'node:test';
import zlib from 'node:zlib';
import { samples } from './encoding-samples.ts';
import { brotliWithWindow, zstdWithWindow } from './window-size.ts';

const original = samples.text.bytes;
const { ZSTD_d_windowLogMax } = zlib.constants;

const decodeZstd = (frame: Buffer, windowLogMax: number) =>
  zlib.zstdDecompressSync(frame, { params: { [ZSTD_d_windowLogMax]: windowLogMax } });

for (const log of [10, 17, 20, 23, 27, 30]) {
  test(`a Zstandard frame of window log ${log} needs a decoder that allows it`, async () => {
    const frame = await zstdWithWindow(original, log);
    assert.deepEqual(decodeZstd(frame, log), original);
    if (log > 10) assert.throws(() => decodeZstd(frame, log - 1), /too much memory/);
  });
}

// RFC 7932 §9.1: the codes of WBITS in the lowest bits of the first byte.
const windowCodes: readonly [lgwin: number, bitCount: number, code: number][] = [
  [10, 7, 0b0100001],
  [16, 1, 0b0],
  [17, 7, 0b0000001],
  [18, 4, 0b0011],
  [22, 4, 0b1011],
  [24, 4, 0b1111],
];

for (const [lgwin, bitCount, code] of windowCodes) {
  test(`a Brotli stream of window ${lgwin} says so and decodes`, async () => {
    const stream = await brotliWithWindow(original, lgwin);
    assert.equal(stream[0]! & (2 ** bitCount - 1), code);
    assert.deepEqual(zlib.brotliDecompressSync(stream), original);
  });
}
