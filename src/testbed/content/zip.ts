import { crc32 } from 'node:zlib';

export interface ZipEntry {
  readonly name: string;
  readonly content: Uint8Array;
}

const LOCAL_HEADER = 0x04034b50;
const CENTRAL_HEADER = 0x02014b50;
const END_OF_DIRECTORY = 0x06054b50;
/** 2.0, the first version that knows folders in names. */
const VERSION = 20;
const UTF8_NAMES = 0x0800;

/** A ZIP archive of files as they are, uncompressed: for a few small files (APPNOTE 4.3, without ZIP64). */
export function zipArchive(entries: readonly ZipEntry[], modified: Date): Buffer {
  const local: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const name = Buffer.from(entry.name);
    const shared = sharedHeader(entry, name, modified);
    const header = Buffer.concat([uint32(LOCAL_HEADER), uint16(VERSION), shared, name]);
    directory.push(
      uint32(CENTRAL_HEADER),
      uint16(VERSION),
      uint16(VERSION),
      shared,
      // No comment, first disk, no attributes.
      Buffer.alloc(2 + 2 + 2 + 4),
      uint32(offset),
      name,
    );
    local.push(header, Buffer.from(entry.content));
    offset += header.length + entry.content.length;
  }
  const index = Buffer.concat(directory);
  const end = Buffer.concat([
    uint32(END_OF_DIRECTORY),
    uint16(0),
    uint16(0),
    uint16(entries.length),
    uint16(entries.length),
    uint32(index.length),
    uint32(offset),
    uint16(0),
  ]);
  return Buffer.concat([...local, index, end]);
}

/** What the header before a file and its line in the directory have in common: flags, method, time, sizes, lengths. */
function sharedHeader({ content }: ZipEntry, name: Buffer, modified: Date): Buffer {
  return Buffer.concat([
    uint16(UTF8_NAMES),
    uint16(0),
    uint16(dosTime(modified)),
    uint16(dosDate(modified)),
    uint32(crc32(content)),
    uint32(content.length),
    uint32(content.length),
    uint16(name.length),
    uint16(0),
  ]);
}

function dosTime(date: Date): number {
  return (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1);
}

function dosDate(date: Date): number {
  return ((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate();
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value >>> 0);
  return bytes;
}
