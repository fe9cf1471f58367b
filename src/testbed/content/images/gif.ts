import { paint, palette } from './artwork.ts';

const bitsPerPixel = 4;
const clearCode = 1 << bitsPerPixel;
const endCode = clearCode + 1;
const maxCodeBits = 12;

/** The house picture as GIF89a. */
export function gifImage(width: number, height: number): Buffer {
  const screen = Buffer.alloc(7);
  screen.writeUInt16LE(width, 0);
  screen.writeUInt16LE(height, 2);
  // A global colour table of 2^4 entries.
  screen[4] = 0x80 | (bitsPerPixel - 1);
  const colours = Buffer.alloc(3 * clearCode);
  colours.set(palette.flat());
  const image = Buffer.alloc(10);
  image[0] = 0x2c;
  image.writeUInt16LE(width, 5);
  image.writeUInt16LE(height, 7);
  return Buffer.concat([
    Buffer.from('GIF89a', 'latin1'),
    screen,
    colours,
    image,
    Buffer.from([bitsPerPixel]),
    subBlocks(lzw(paint(width, height))),
    Buffer.from([0x3b]),
  ]);
}

/** GIF's variable-length LZW: codes grow with the table, which is cleared when twelve bits are used up. */
function lzw(pixels: Uint8Array): Buffer {
  const bytes: number[] = [];
  let bitBuffer = 0;
  let bitCount = 0;
  let codeBits = bitsPerPixel + 1;
  const put = (code: number) => {
    bitBuffer |= code << bitCount;
    bitCount += codeBits;
    for (; bitCount >= 8; bitCount -= 8, bitBuffer >>>= 8) bytes.push(bitBuffer & 0xff);
  };

  let table = new Map<number, number>();
  let nextCode = endCode + 1;
  put(clearCode);
  let prefix = pixels[0]!;
  for (const pixel of pixels.subarray(1)) {
    const key = (prefix << bitsPerPixel) | pixel;
    const known = table.get(key);
    if (known !== undefined) {
      prefix = known;
      continue;
    }
    put(prefix);
    if (nextCode < 1 << maxCodeBits) {
      if (nextCode === 1 << codeBits) codeBits++;
      table.set(key, nextCode++);
    } else {
      put(clearCode);
      table = new Map();
      nextCode = endCode + 1;
      codeBits = bitsPerPixel + 1;
    }
    prefix = pixel;
  }
  put(prefix);
  // The decoder's table has grown by the last code as well, so the end may already need one bit more.
  if (nextCode === 1 << codeBits && codeBits < maxCodeBits) codeBits++;
  put(endCode);
  if (bitCount > 0) bytes.push(bitBuffer & 0xff);
  return Buffer.from(bytes);
}

function subBlocks(data: Buffer): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; at < data.length; at += 255) {
    const block = data.subarray(at, at + 255);
    pieces.push(Buffer.from([block.length]), block);
  }
  pieces.push(Buffer.from([0]));
  return Buffer.concat(pieces);
}
