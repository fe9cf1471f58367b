import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { paint, palette } from './artwork.ts';

const deflate = promisify<zlib.InputType, Buffer>(zlib.deflate);

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** The house picture as an indexed-colour PNG (ISO/IEC 15948). */
export async function pngImage(width: number, height: number): Promise<Buffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flat())),
    chunk('IDAT', await deflate(unfilteredRows(paint(width, height), width))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Every row is led by its filter type; none is used. */
function unfilteredRows(pixels: Uint8Array, width: number): Buffer {
  const height = pixels.length / width;
  const rows = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y++) rows.set(pixels.subarray(y * width, (y + 1) * width), y * (width + 1) + 1);
  return rows;
}

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(4 + typed.length + 4);
  framed.writeUInt32BE(data.length, 0);
  framed.set(typed, 4);
  framed.writeUInt32BE(zlib.crc32(typed), 4 + typed.length);
  return framed;
}
