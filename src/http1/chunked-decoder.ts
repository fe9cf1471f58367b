import { CR, LF } from './characters.ts';
import { parseFieldLines } from './field-parser.ts';
import type { InputBuffer } from './input-buffer.ts';
import { parseFieldLinesLeniently } from './lenient-head.ts';
import type { Http1Limits } from './limits.ts';
import { MessageFields } from './message-fields.ts';
import { Refusal } from './refusals.ts';

export interface ChunkSink {
  onChunk(byteCount: number): void;
  onData(bytes: Buffer): void;
}

const MAX_SIZE_DIGITS = 16;
const CHUNK_LINE = /^([0-9A-Fa-f]+)([ \t]*;.*)?$/s;
// `chunk-ext` of RFC 9112 §7.1.1: names, and values that are tokens or quoted strings.
const TOKEN = String.raw`[!#$%&'*+\-.^_\x60|~0-9A-Za-z]+`;
const QUOTED_STRING = String.raw`"(?:[\t\x20\x21\x23-\x5b\x5d-\x7e\x80-\xff]|\\[\t\x20-\x7e\x80-\xff])*"`;
const CHUNK_EXTENSIONS = new RegExp(
  String.raw`^(?:[ \t]*;[ \t]*${TOKEN}(?:[ \t]*=[ \t]*(?:${TOKEN}|${QUOTED_STRING}))?)*$`,
);
const LENIENT_CHUNK_LINE = /^[ \t]*(?:0[xX])?([0-9A-Fa-f]+)(.*)$/s;

/**
 * Takes the chunked coding off, RFC 9112 §7.1, as the bytes come. Only an unfinished size line or trailer section
 * stays in the input; content is passed on in the very buffers it came in.
 */
export class ChunkedDecoder {
  readonly #limits: Http1Limits;
  readonly #isLenient: boolean;
  readonly #sink: ChunkSink;
  #state: 'size' | 'data' | 'data-end' | 'trailers' | 'done' = 'size';
  #remainingBytes = 0;
  #extensionBytes = 0;
  #searchedBytes = 0;
  /** Complete when `decode` returned true. */
  trailers: readonly string[] = [];

  constructor(limits: Http1Limits, isLenient: boolean, sink: ChunkSink) {
    this.#limits = limits;
    this.#isLenient = isLenient;
    this.#sink = sink;
  }

  /** Consumes what it can; true once the last chunk and the trailers were read. Throws a Refusal. */
  decode(input: InputBuffer): boolean {
    for (;;) {
      switch (this.#state) {
        case 'size':
          if (!this.#readSize(input)) return false;
          break;
        case 'data':
          if (!this.#readData(input)) return false;
          break;
        case 'data-end':
          if (!this.#readDataEnd(input)) return false;
          break;
        case 'trailers':
          if (!this.#readTrailers(input)) return false;
          break;
        case 'done':
          return true;
      }
    }
  }

  #readSize(input: InputBuffer): boolean {
    const maxBytes = MAX_SIZE_DIGITS + 2 + this.#limits.maxChunkExtensionBytes - this.#extensionBytes;
    // Told by its first byte, so that nobody waits for the line of something that is no chunk.
    if (!this.#isLenient && input.length > 0 && !isHexDigit(input.bytes[input.start]!)) {
      throw new Refusal('chunk-size-invalid');
    }
    const line = this.#readLine(input, maxBytes, 'chunk-extension-too-long');
    if (line === undefined) return false;
    const found = (this.#isLenient ? LENIENT_CHUNK_LINE : CHUNK_LINE).exec(line);
    if (found === null || found[1]!.length > MAX_SIZE_DIGITS) throw new Refusal('chunk-size-invalid');
    const size = Number.parseInt(found[1]!, 16);
    if (!Number.isSafeInteger(size)) throw new Refusal('chunk-size-invalid');
    this.#countExtension(line.length - found[1]!.length, found[2] ?? '');

    this.#remainingBytes = size;
    if (size === 0) {
      this.#state = 'trailers';
    } else {
      this.#sink.onChunk(size);
      this.#state = 'data';
    }
    return true;
  }

  #countExtension(byteCount: number, extension: string): void {
    if (byteCount === 0) return;
    this.#extensionBytes += byteCount;
    if (this.#extensionBytes > this.#limits.maxChunkExtensionBytes)
      throw this.#tooLong('chunk-extension-too-long');
    if (!this.#isLenient && !CHUNK_EXTENSIONS.test(extension)) throw new Refusal('chunk-extension-invalid');
  }

  #readData(input: InputBuffer): boolean {
    if (input.length === 0) return false;
    const bytes = input.take(Math.min(this.#remainingBytes, input.length));
    this.#remainingBytes -= bytes.length;
    if (this.#remainingBytes === 0) this.#state = 'data-end';
    this.#sink.onData(bytes);
    return true;
  }

  #readDataEnd(input: InputBuffer): boolean {
    if (input.length === 0) return false;
    const first = input.bytes[input.start];
    if (this.#isLenient && first === LF) {
      input.skip(1);
    } else {
      if (first !== CR) throw new Refusal('chunk-end-invalid');
      if (input.length === 1) return false;
      if (input.bytes[input.start + 1] !== LF) throw new Refusal('chunk-end-invalid');
      input.skip(2);
    }
    this.#state = 'size';
    return true;
  }

  /** Trailer lines are collected until the empty one; they are parsed together. */
  #trailerText = '';

  #readTrailers(input: InputBuffer): boolean {
    for (;;) {
      const roomBytes = this.#limits.maxTrailerBytes - this.#trailerText.length;
      const line = this.#readLine(input, roomBytes, 'trailers-too-large');
      if (line === undefined) return false;
      if (line === '') break;
      this.#trailerText += `${line}\r\n`;
    }
    this.trailers = this.#parseTrailers();
    this.#state = 'done';
    return true;
  }

  #parseTrailers(): readonly string[] {
    const text = this.#trailerText;
    if (text === '') return this.trailers;
    const fields = new MessageFields();
    if (this.#isLenient) {
      parseFieldLinesLeniently(text.split('\r\n'), 0, fields, this.#limits.maxHeaderCount);
      return fields.pairs;
    }
    parseFieldLines(text, 0, text.length, fields, this.#limits.maxHeaderCount);
    const hasForbidden =
      fields.hostCount > 0 || fields.contentLengthCount > 0 || fields.transferEncoding !== undefined;
    if (hasForbidden) throw new Refusal('trailer-forbidden');
    return fields.pairs;
  }

  /** A line without its line break, or undefined while it is unfinished. */
  #readLine(input: InputBuffer, maxBytes: number, tooLong: TooLong) {
    const { bytes, start, end } = input;
    const lf = input.indexOf(LF, start + this.#searchedBytes);
    const isFinished = lf >= 0;
    if ((isFinished ? lf : end) - start > maxBytes) throw this.#tooLong(tooLong);
    if (!isFinished) {
      this.#searchedBytes = end - start;
      return undefined;
    }
    this.#searchedBytes = 0;
    const hasCr = lf > start && bytes[lf - 1] === CR;
    if (!hasCr && !this.#isLenient) throw new Refusal('bare-lf');
    input.skip(lf + 1 - start);
    return bytes.toString('latin1', start, hasCr ? lf - 1 : lf);
  }

  #tooLong(key: TooLong): Refusal {
    const { maxTrailerBytes, maxChunkExtensionBytes } = this.#limits;
    return new Refusal(key, {
      maxBytes: key === 'trailers-too-large' ? maxTrailerBytes : maxChunkExtensionBytes,
    });
  }
}

type TooLong = 'chunk-extension-too-long' | 'trailers-too-large';

function isHexDigit(code: number): boolean {
  const lower = code | 0x20;
  return (code >= 0x30 && code <= 0x39) || (lower >= 0x61 && lower <= 0x66);
}
