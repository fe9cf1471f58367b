import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { BodyWriter } from '../../http1/exchange.ts';
import type { HeaderPairs } from '../../http1/header-list.ts';
import { type Fault, fault } from '../../kernel/faults.ts';

export type Coding = 'gzip' | 'deflate' | 'br' | 'zstd' | 'identity';

/** Every content coding of the test service, the one without effect last. */
export const codings = ['gzip', 'deflate', 'br', 'zstd', 'identity'] as const satisfies readonly Coding[];

/** What a client may send, as the Accept-Encoding of a 415 says it (RFC 9110 §12.5.3). */
const acceptedCodings = 'gzip, deflate, br, zstd';

// A sender has no reason to code more often; each layer costs a whole pass over the content.
const maxLayers = 8;

type Compressing = Exclude<Coding, 'identity'>;

interface EncodeOptions {
  /** Effort in the scale of the coding; a middle one unless given. */
  readonly level?: number;
}

/** Lowest and highest effort each coding knows. */
export const levelBounds: Readonly<Record<Compressing, readonly [lowest: number, highest: number]>> = {
  gzip: [0, 9],
  deflate: [0, 9],
  br: [0, 11],
  zstd: [1, 22],
};

const {
  BROTLI_OPERATION_FLUSH,
  BROTLI_PARAM_LGWIN,
  BROTLI_PARAM_QUALITY,
  ZSTD_c_compressionLevel,
  ZSTD_e_flush,
  Z_DEFAULT_COMPRESSION,
  Z_SYNC_FLUSH,
} = zlib.constants;

// Brotli's own default, 11, takes several times longer than anything a server sends on the fly.
const brotliOptions = (level = 5): zlib.BrotliOptions => ({ params: { [BROTLI_PARAM_QUALITY]: level } });
// A stream may last as long as its client is slow; with the default window of 4 MiB each would hold many times that.
const brotliStreamOptions: zlib.BrotliOptions = {
  params: { ...brotliOptions().params, [BROTLI_PARAM_LGWIN]: 18 },
};
const zstdOptions = (level = 3): zlib.ZstdOptions => ({ params: { [ZSTD_c_compressionLevel]: level } });
const zlibOptions = (level = Z_DEFAULT_COMPRESSION): zlib.ZlibOptions => ({ level });

const gzip = promisify<zlib.InputType, zlib.ZlibOptions, Buffer>(zlib.gzip);
const deflate = promisify<zlib.InputType, zlib.ZlibOptions, Buffer>(zlib.deflate);
const deflateRaw = promisify<zlib.InputType, zlib.ZlibOptions, Buffer>(zlib.deflateRaw);
const brotli = promisify<zlib.InputType, zlib.BrotliOptions, Buffer>(zlib.brotliCompress);
const zstd = promisify<zlib.InputType, zlib.ZstdOptions, Buffer>(zlib.zstdCompress);
const gunzip = promisify<zlib.InputType, zlib.ZlibOptions, Buffer>(zlib.gunzip);
const inflate = promisify<zlib.InputType, zlib.ZlibOptions, Buffer>(zlib.inflate);
const inflateRaw = promisify<zlib.InputType, zlib.ZlibOptions, Buffer>(zlib.inflateRaw);
const unbrotli = promisify<zlib.InputType, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress);
const unzstd = promisify<zlib.InputType, zlib.ZstdOptions, Buffer>(zlib.zstdDecompress);

/** The whole content in one coding. `deflate` is the zlib format, as RFC 9110 §8.4.1.2 defines it. */
export async function encodeWhole(
  coding: Coding,
  bytes: Uint8Array,
  { level }: EncodeOptions = {},
): Promise<Buffer> {
  switch (coding) {
    case 'gzip':
      return gzip(bytes, zlibOptions(level));
    case 'deflate':
      return deflate(bytes, zlibOptions(level));
    case 'br':
      return brotli(bytes, brotliOptions(level));
    case 'zstd':
      // Told the size, the encoder takes memory for the content only: at level 22 else 700 MB for a single byte.
      return zstd(bytes, { ...zstdOptions(level), pledgedSrcSize: bytes.length });
    case 'identity':
      return asBuffer(bytes);
  }
}

/** Deflate without the zlib header: not what the RFC says, but what some old servers send as `deflate`. */
export function encodeRawDeflate(bytes: Uint8Array, { level }: EncodeOptions = {}): Promise<Buffer> {
  return deflateRaw(bytes, zlibOptions(level));
}

/** Undoes one coding. `deflate` may come with or without its zlib header. */
export async function decodeWhole(coding: Coding, bytes: Uint8Array, maxBytes: number): Promise<Buffer> {
  if (coding === 'identity') {
    if (bytes.length > maxBytes) throw bombFault(coding, maxBytes);
    return asBuffer(bytes);
  }
  try {
    return await undo(coding, bytes, maxBytes);
  } catch (error) {
    throw decodingFault(coding, error, maxBytes);
  }
}

export interface DecodedChain {
  /** The codings in the order they were applied. */
  readonly codings: string[];
  readonly decoded: Buffer;
}

/** Undoes a whole Content-Encoding field, the coding applied last first. */
export async function decodeChain(
  header: string,
  bytes: Uint8Array,
  maxBytes: number,
): Promise<DecodedChain> {
  const applied = codingsOf(header);
  if (applied.length > maxLayers) throw unsupportedFault(`with more than ${maxLayers} layers`);
  let decoded = asBuffer(bytes);
  for (const coding of applied.toReversed()) decoded = await decodeWhole(coding, decoded, maxBytes);
  return { codings: applied, decoded };
}

/** The codings a Content-Encoding field names; one we do not know is answered by 415. */
export function codingsOf(header: string): Coding[] {
  const names = header.split(',').map((name) => name.trim().toLowerCase());
  return names.filter((name) => name !== '').map(knownCoding);
}

/**
 * Codes what is written and flushes after every write, so that the client can decode each piece as soon as it
 * arrives. Ending it finishes the coding and then the body below.
 */
export function flushingWriter(coding: Coding, out: BodyWriter): BodyWriter {
  if (coding === 'identity' || out.isDiscarding) return out;
  const { encoder, flushKind } = newEncoder(coding);
  let coded: Buffer[] = [];
  let isEnded = false;
  encoder.on('data', (piece: Buffer) => coded.push(piece));

  const sendCoded = async () => {
    const pieces = coded;
    coded = [];
    if (pieces.length === 0) return;
    try {
      await out.write(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces));
    } catch (error) {
      encoder.destroy();
      throw error;
    }
  };

  return {
    isDiscarding: false,
    async write(chunk) {
      await new Promise<void>((resolve, reject) => {
        encoder.once('error', reject);
        encoder.write(chunk);
        encoder.flush(flushKind, () => {
          encoder.off('error', reject);
          resolve();
        });
      });
      await sendCoded();
    },
    async end(trailers) {
      if (isEnded) return;
      isEnded = true;
      await new Promise<void>((resolve, reject) => {
        encoder.once('error', reject);
        encoder.once('end', resolve);
        encoder.end();
      });
      await sendCoded();
      await out.end(trailers);
    },
    abort() {
      encoder.destroy();
      out.abort();
    },
  };
}

type Encoder = zlib.Gzip | zlib.Deflate | zlib.BrotliCompress | zlib.ZstdCompress;

export function newEncoder(coding: Compressing): { encoder: Encoder; flushKind: number } {
  switch (coding) {
    case 'gzip':
      return { encoder: zlib.createGzip(), flushKind: Z_SYNC_FLUSH };
    case 'deflate':
      return { encoder: zlib.createDeflate(), flushKind: Z_SYNC_FLUSH };
    case 'br':
      return { encoder: zlib.createBrotliCompress(brotliStreamOptions), flushKind: BROTLI_OPERATION_FLUSH };
    case 'zstd':
      return { encoder: zlib.createZstdCompress(zstdOptions()), flushKind: ZSTD_e_flush };
  }
}

/** Node refuses what follows a gzip member unless it is another member; the other decoders must be told to. */
function undo(coding: Compressing, bytes: Uint8Array, maxOutputLength: number): Promise<Buffer> {
  const strictly = { maxOutputLength, rejectGarbageAfterEnd: true };
  switch (coding) {
    case 'gzip':
      return gunzip(bytes, { maxOutputLength });
    case 'deflate':
      return hasZlibHeader(bytes) ? inflate(bytes, strictly) : inflateRaw(bytes, strictly);
    case 'br':
      return unbrotli(bytes, strictly);
    case 'zstd':
      return unzstd(bytes, strictly);
  }
}

/** RFC 1950 §2.2: method 8, and the first two bytes as a number are a multiple of 31. */
function hasZlibHeader(bytes: Uint8Array): boolean {
  const [first = 0, second = 0] = bytes;
  return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0;
}

function knownCoding(name: string): Coding {
  // RFC 9110 §8.4.1.3: x-gzip means gzip.
  const coding = name === 'x-gzip' ? 'gzip' : name;
  if (!codings.includes(coding as Coding)) throw unsupportedFault(name);
  return coding as Coding;
}

function unsupportedFault(coding: string): Fault {
  const headers: HeaderPairs = ['Accept-Encoding', acceptedCodings];
  return fault('encoding.unsupported', { coding, accepted: acceptedCodings }, headers);
}

function bombFault(coding: Coding, maxBytes: number, cause?: unknown): Fault {
  return fault('encoding.bomb', { coding, maxBytes }, [], { cause });
}

function decodingFault(coding: Coding, error: unknown, maxBytes: number): Fault {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ERR_BUFFER_TOO_LARGE') return bombFault(coding, maxBytes, error);
  return fault('encoding.corrupt', { coding, reason: message }, [], { cause: error });
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
