import assert from 'node:assert/strict';
import test from 'node:test';
import zlib from 'node:zlib';
import { paint, palette } from './artwork.ts';
import { bmpImage } from './bmp.ts';
import { embeddedImage } from './embedded.ts';
import { gifImage } from './gif.ts';
import { icoImage } from './ico.ts';
import { pngImage } from './png.ts';
import { svgImage } from './svg.ts';

/** Checks every chunk's length and checksum, and undoes the compression. */
function readPng(file: Buffer) {
  assert.equal(file.toString('hex', 0, 8), '89504e470d0a1a0a');
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < file.length; ) {
    const length = file.readUInt32BE(at);
    const typed = file.subarray(at + 4, at + 8 + length);
    assert.equal(file.readUInt32BE(at + 8 + length), zlib.crc32(typed));
    chunks.set(typed.toString('latin1', 0, 4), typed.subarray(4));
    at += 12 + length;
  }
  const header = chunks.get('IHDR')!;
  const width = header.readUInt32BE(0);
  const height = header.readUInt32BE(4);
  const rows = zlib.inflateSync(chunks.get('IDAT')!);
  assert.equal(rows.length, height * (width + 1));
  const pixels = Buffer.concat(
    Array.from({ length: height }, (_, y) => rows.subarray(y * (width + 1) + 1, (y + 1) * (width + 1))),
  );
  return { width, height, pixels, names: [...chunks.keys()], colours: chunks.get('PLTE')! };
}

/** A plain LZW decoder, independent of the coder under test. */
function readGif(file: Buffer) {
  assert.equal(file.toString('latin1', 0, 6), 'GIF89a');
  const width = file.readUInt16LE(6);
  const height = file.readUInt16LE(8);
  let at = 13 + 3 * 16;
  assert.equal(file[at], 0x2c);
  at += 10;
  const minBits = file[at++]!;
  const blocks: Buffer[] = [];
  while (file[at] !== 0) {
    blocks.push(file.subarray(at + 1, at + 1 + file[at]!));
    at += 1 + file[at]!;
  }
  assert.equal(file[at + 1], 0x3b);
  const data = Buffer.concat(blocks);
  const clear = 1 << minBits;
  const end = clear + 1;
  let table: number[][] = [];
  const reset = () => {
    table = Array.from({ length: clear }, (_, index) => [index]);
    table.push([], []);
  };
  reset();
  const pixels: number[] = [];
  let bits = minBits + 1;
  let previous: number[] | undefined;
  for (let bitAt = 0; ; ) {
    let code = 0;
    for (let bit = 0; bit < bits; bit++, bitAt++) code |= ((data[bitAt >> 3]! >> (bitAt & 7)) & 1) << bit;
    if (code === end) break;
    if (code === clear) {
      reset();
      bits = minBits + 1;
      previous = undefined;
      continue;
    }
    const entry: number[] = table[code] ?? [...previous!, previous![0]!];
    pixels.push(...entry);
    if (previous && table.length < 4096) table.push([...previous, entry[0]!]);
    if (table.length === 1 << bits && bits < 12) bits++;
    previous = entry;
  }
  return { width, height, pixels: Buffer.from(pixels) };
}

for (const [width, height] of [
  [96, 96],
  [1, 1],
  [7, 300],
  [640, 33],
] as const) {
  test(`PNG of ${width}x${height} holds the picture`, async () => {
    const png = readPng(await pngImage(width, height));
    assert.deepEqual(png.names, ['IHDR', 'PLTE', 'IDAT', 'IEND']);
    assert.deepEqual([png.width, png.height], [width, height]);
    assert.deepEqual(png.pixels, Buffer.from(paint(width, height)));
    assert.deepEqual([...png.colours], palette.flat());
  });
}

for (const [width, height] of [
  [96, 96],
  [1, 1],
  [701, 533],
] as const) {
  test(`GIF of ${width}x${height} holds the picture`, () => {
    const gif = readGif(gifImage(width, height));
    assert.deepEqual([gif.width, gif.height], [width, height]);
    assert.deepEqual(gif.pixels, Buffer.from(paint(width, height)));
  });
}

test('BMP rows stand bottom up and are padded to four bytes', () => {
  const bmp = bmpImage(5, 9);
  const pixelsAt = bmp.readUInt32LE(10);
  const pixels = paint(5, 9);
  assert.equal(bmp.length, pixelsAt + 8 * 9);
  assert.deepEqual(bmp.subarray(pixelsAt, pixelsAt + 5), Buffer.from(pixels.subarray(8 * 5, 9 * 5)));
  assert.deepEqual(bmp.subarray(pixelsAt + 8 * 8, pixelsAt + 8 * 8 + 5), Buffer.from(pixels.subarray(0, 5)));
});

test('ICO is a directory of one PNG', async () => {
  const ico = await icoImage(32);
  const imageAt = ico.readUInt32LE(18);
  assert.equal(ico.readUInt32LE(14), ico.length - imageAt);
  assert.equal(readPng(ico.subarray(imageAt)).width, 32);
});

test('SVG has the size asked for and one element per shape', () => {
  const svg = svgImage(200, 100);
  assert.match(svg, /viewBox="0 0 200 100"/);
  assert.ok((svg.match(/<(?:rect|circle) /g)?.length ?? 0) > 20);
});

test('the embedded files are whole', () => {
  const jpeg = embeddedImage('jpeg');
  assert.equal(jpeg.toString('hex', 0, 3), 'ffd8ff');
  assert.equal(jpeg.toString('hex', jpeg.length - 2), 'ffd9');
  const webp = embeddedImage('webp');
  assert.equal(webp.toString('latin1', 8, 12), 'WEBP');
  assert.equal(webp.readUInt32LE(4), webp.length - 8);
  const avif = embeddedImage('avif');
  assert.equal(avif.toString('latin1', 4, 12), 'ftypavif');
});
