import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { fault } from '../../kernel/faults.ts';
import { type Coding, encodeWhole } from './codings.ts';

/** The ways in which coded content can be broken. */
export const corruptions = [
  'truncated',
  'bad-crc',
  'bad-header',
  'garbage-tail',
  'bit-flip',
  'empty',
] as const;
export type Corruption = (typeof corruptions)[number];
export type CorruptibleCoding = Exclude<Coding, 'identity'>;

export const garbageTail = Buffer.from('garbage after the end');

// The first byte with which no stream of that coding can begin: gzip's and Zstandard's magic numbers, zlib's
// method nibble (RFC 1950 §2.2), and the window size Brotli reserves (RFC 7932 §9.1).
const impossibleFirstByte: Readonly<Record<CorruptibleCoding, number>> = {
  gzip: 0x00,
  deflate: 0x0f,
  br: 0x11,
  zstd: 0x00,
};

// Where the checksum of the content lies, counted from the end: gzip's CRC-32 stands before its length field,
// zlib's Adler-32 and Zstandard's XXH64 are last. Brotli has none.
const checksumFromEnd: Readonly<Record<CorruptibleCoding, number | undefined>> = {
  gzip: 8,
  deflate: 4,
  br: undefined,
  zstd: 4,
};

const zstdCompress = promisify<zlib.InputType, zlib.ZstdOptions, Buffer>(zlib.zstdCompress);

/** Content coded and then broken in exactly one way. */
export async function corrupted(
  coding: CorruptibleCoding,
  original: Uint8Array,
  kind: Corruption,
): Promise<Buffer> {
  if (kind === 'empty') return Buffer.alloc(0);
  const intact = await checkedEncoding(coding, original);
  switch (kind) {
    case 'truncated':
      return intact.subarray(0, intact.length >>> 1);
    case 'bad-crc':
      return withFlippedBit(intact, checksumAt(coding, intact));
    case 'bad-header':
      return withFirstByte(intact, impossibleFirstByte[coding]);
    case 'garbage-tail':
      return Buffer.concat([intact, garbageTail]);
    case 'bit-flip':
      return withFlippedBit(intact, intact.length >>> 1);
  }
}

/** Zstandard carries a checksum only when asked to. */
function checkedEncoding(coding: CorruptibleCoding, original: Uint8Array): Promise<Buffer> {
  if (coding !== 'zstd') return encodeWhole(coding, original);
  return zstdCompress(original, { params: { [zlib.constants.ZSTD_c_checksumFlag]: 1 } });
}

function checksumAt(coding: CorruptibleCoding, intact: Buffer): number {
  const fromEnd = checksumFromEnd[coding];
  if (fromEnd !== undefined) return intact.length - fromEnd;
  throw fault('parameter.invalid', {
    in: 'query',
    name: 'kind',
    rule: `cannot be bad-crc for ${coding}, which has no checksum`,
  });
}

function withFlippedBit(bytes: Buffer, at: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[at]! ^= 0x01;
  return changed;
}

function withFirstByte(bytes: Buffer, byte: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[0] = byte;
  return changed;
}
