import { promisify } from 'node:util';
import zlib from 'node:zlib';

const { BROTLI_PARAM_LGWIN, BROTLI_PARAM_QUALITY, ZSTD_c_windowLog } = zlib.constants;
const brotliCompress = promisify<zlib.InputType, zlib.BrotliOptions, Buffer>(zlib.brotliCompress);
const zstdCompress = promisify<zlib.InputType, zlib.ZstdOptions, Buffer>(zlib.zstdCompress);

// A frame of unknown content size: magic number, frame header descriptor, window descriptor (RFC 8878 §3.1.1).
const WINDOW_DESCRIPTOR_AT = 5;
const LARGEST_ENCODED_LOG = 20;

/** Brotli with the given window, 2^log - 16 bytes; the first bits of the stream say it. */
export function brotliWithWindow(bytes: Uint8Array, log: number): Promise<Buffer> {
  return brotliCompress(bytes, { params: { [BROTLI_PARAM_QUALITY]: 5, [BROTLI_PARAM_LGWIN]: log } });
}

/**
 * Zstandard whose frame asks the decoder for a window of 2^log bytes. The encoder itself would take as much memory as
 * it demands; so a large window is only declared, which is all a decoder can see.
 */
export async function zstdWithWindow(bytes: Uint8Array, log: number): Promise<Buffer> {
  const encodedLog = Math.min(log, LARGEST_ENCODED_LOG);
  const frame = await zstdCompress(bytes, { params: { [ZSTD_c_windowLog]: encodedLog } });
  frame[WINDOW_DESCRIPTOR_AT] = (log - 10) << 3;
  return frame;
}
