import { pngImage } from './png.ts';

const directoryBytes = 6;
const entryBytes = 16;

/** The house picture as an icon: a directory of one entry, whose image is a PNG. Sides below 256. */
export async function icoImage(side: number): Promise<Buffer> {
  const image = await pngImage(side, side);
  const head = Buffer.alloc(directoryBytes + entryBytes);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(1, 4);
  head.set([side, side], 6);
  head.writeUInt16LE(1, 10);
  head.writeUInt16LE(8, 12);
  head.writeUInt32LE(image.length, 14);
  head.writeUInt32LE(head.length, 18);
  return Buffer.concat([head, image]);
}
