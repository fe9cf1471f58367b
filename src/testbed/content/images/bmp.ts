import { paint, palette } from './artwork.ts';

const fileHeaderBytes = 14;
const infoHeaderBytes = 40;
const bitsPerPixel = 8;

/** The house picture as a Windows bitmap of eight bits per pixel: rows bottom up, each padded to four bytes. */
export function bmpImage(width: number, height: number): Buffer {
  const rowBytes = Math.ceil(width / 4) * 4;
  const pixelsAt = fileHeaderBytes + infoHeaderBytes + 4 * palette.length;
  const file = Buffer.alloc(pixelsAt + rowBytes * height);
  file.write('BM', 'latin1');
  file.writeUInt32LE(file.length, 2);
  file.writeUInt32LE(pixelsAt, 10);
  file.writeUInt32LE(infoHeaderBytes, 14);
  file.writeInt32LE(width, 18);
  file.writeInt32LE(height, 22);
  file.writeUInt16LE(1, 26);
  file.writeUInt16LE(bitsPerPixel, 28);
  file.writeUInt32LE(rowBytes * height, 34);
  file.writeUInt32LE(palette.length, 46);
  for (const [index, [red, green, blue]] of palette.entries()) {
    file.set([blue, green, red, 0], fileHeaderBytes + infoHeaderBytes + 4 * index);
  }
  const pixels = paint(width, height);
  for (let y = 0; y < height; y++) {
    file.set(pixels.subarray(y * width, (y + 1) * width), pixelsAt + (height - 1 - y) * rowBytes);
  }
  return file;
}
