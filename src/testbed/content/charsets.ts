import iconv from 'iconv-lite';
import { singleByteCharsets } from './single-byte-charsets.ts';
import {
  type DecodedText,
  decodeByPlatform,
  decodeSingleByte,
  decodeUtf8,
  decodeUtf16,
  decodeUtf32,
} from './text-decoders.ts';

/** The charsets spoken here, by their preferred IANA names in lower case. */
export const charsets = [
  'utf-8',
  'utf-16',
  'utf-16le',
  'utf-16be',
  'utf-32',
  'utf-32le',
  'utf-32be',
  'us-ascii',
  'iso-8859-1',
  'iso-8859-9',
  'windows-1252',
  'windows-1254',
  'shift_jis',
  'gb18030',
] as const;

export type Charset = (typeof charsets)[number];

const aliases: Readonly<Record<string, Charset>> = {
  utf8: 'utf-8',
  utf16: 'utf-16',
  utf32: 'utf-32',
  ascii: 'us-ascii',
  latin1: 'iso-8859-1',
  l1: 'iso-8859-1',
  'iso_8859-1': 'iso-8859-1',
  'iso8859-1': 'iso-8859-1',
  latin5: 'iso-8859-9',
  l5: 'iso-8859-9',
  'iso_8859-9': 'iso-8859-9',
  'iso8859-9': 'iso-8859-9',
  cp1252: 'windows-1252',
  cp1254: 'windows-1254',
  'shift-jis': 'shift_jis',
  sjis: 'shift_jis',
};

/** The charset a label names, in any casing; undefined when it is none of ours. */
export function charsetOf(label: string): Charset | undefined {
  const lower = label.trim().toLowerCase();
  return charsets.find((charset) => charset === lower) ?? aliases[lower];
}

export interface Bom {
  readonly charset: Charset;
  readonly length: number;
}

/** The byte-order mark a body begins with. UTF-32LE is looked for first: it begins as UTF-16LE does. */
export function detectBom(bytes: Uint8Array): Bom | undefined {
  const begins = (...mark: number[]) => mark.every((byte, index) => bytes[index] === byte);
  if (begins(0xff, 0xfe, 0, 0)) return { charset: 'utf-32le', length: 4 };
  if (begins(0, 0, 0xfe, 0xff)) return { charset: 'utf-32be', length: 4 };
  if (begins(0xef, 0xbb, 0xbf)) return { charset: 'utf-8', length: 3 };
  if (begins(0xff, 0xfe)) return { charset: 'utf-16le', length: 2 };
  if (begins(0xfe, 0xff)) return { charset: 'utf-16be', length: 2 };
  return undefined;
}

/**
 * Text of bytes. A byte-order mark of the charset itself is left out of the text; without one `utf-16` and
 * `utf-32` are big-endian (RFC 2781 §4.3). Offsets of invalid sequences count from the first byte given.
 */
export function decodeText(bytes: Uint8Array, charset: Charset): DecodedText {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const bom = bomFor(whole, charset);
  const decoded = decodeWithoutBom(whole.subarray(bom?.length ?? 0), bom?.charset ?? charset);
  if (!bom || decoded.isValid) return decoded;
  const invalid = decoded.invalid.map(({ offset, hex }) => ({ offset: offset + bom.length, hex }));
  return { ...decoded, invalid };
}

function bomFor(bytes: Buffer, charset: Charset): Bom | undefined {
  // A UTF-16LE text may begin with a NUL after its mark, which detectBom has to take for UTF-32LE.
  if (charset.startsWith('utf-16') && bytes[0] === 0xff && bytes[1] === 0xfe) {
    return charset === 'utf-16be' ? undefined : { charset: 'utf-16le', length: 2 };
  }
  const bom = detectBom(bytes);
  return bom?.charset.startsWith(charset) ? bom : undefined;
}

function decodeWithoutBom(bytes: Buffer, charset: Charset): DecodedText {
  switch (charset) {
    case 'utf-8':
      return decodeUtf8(bytes);
    case 'utf-16':
    case 'utf-16be':
      return decodeUtf16(bytes, false);
    case 'utf-16le':
      return decodeUtf16(bytes, true);
    case 'utf-32':
    case 'utf-32be':
      return decodeUtf32(bytes, false);
    case 'utf-32le':
      return decodeUtf32(bytes, true);
    case 'shift_jis':
    case 'gb18030':
      return decodeByPlatform(bytes, charset);
    default:
      return decodeSingleByte(bytes, singleByteCharsets[charset].characters);
  }
}

export interface EncodedText {
  readonly bytes: Buffer;
  /** The characters the charset does not have, each once; `?` stands in their place. */
  readonly unmappable: readonly string[];
}

/** Bytes of text. `utf-16` and `utf-32` are written big-endian with a byte-order mark, all others without one. */
export function encodeText(text: string, charset: Charset): EncodedText {
  const wellFormed = text.toWellFormed();
  switch (charset) {
    case 'utf-8':
      return { bytes: Buffer.from(wellFormed, 'utf8'), unmappable: [] };
    case 'utf-16le':
      return { bytes: Buffer.from(wellFormed, 'utf16le'), unmappable: [] };
    case 'utf-16be':
      return { bytes: Buffer.from(wellFormed, 'utf16le').swap16(), unmappable: [] };
    case 'utf-16':
      return encodeText(`\uFEFF${wellFormed}`, 'utf-16be');
    case 'utf-32le':
      return { bytes: encodeUtf32(wellFormed).swap32(), unmappable: [] };
    case 'utf-32be':
      return { bytes: encodeUtf32(wellFormed), unmappable: [] };
    case 'utf-32':
      return encodeText(`\uFEFF${wellFormed}`, 'utf-32be');
    case 'shift_jis':
    case 'gb18030':
      return { bytes: iconv.encode(wellFormed, charset), unmappable: unmappableByIconv(wellFormed, charset) };
    default:
      return encodeSingleByte(wellFormed, singleByteCharsets[charset].bytes);
  }
}

function encodeUtf32(text: string): Buffer {
  const codePoints = Array.from(text, (character) => character.codePointAt(0)!);
  const bytes = Buffer.alloc(codePoints.length * 4);
  codePoints.forEach((codePoint, index) => {
    bytes.writeUInt32BE(codePoint, index * 4);
  });
  return bytes;
}

function encodeSingleByte(text: string, byteOf: ReadonlyMap<string, number>): EncodedText {
  const unmappable = new Set<string>();
  const bytes = Array.from(text, (character) => {
    const byte = byteOf.get(character);
    if (byte === undefined) unmappable.add(character);
    return byte ?? 0x3f;
  });
  return { bytes: Buffer.from(bytes), unmappable: [...unmappable] };
}

function unmappableByIconv(text: string, charset: Charset): string[] {
  const isUnmappable = (character: string) =>
    character !== '?' && iconv.encode(character, charset).equals(questionMark);
  return [...new Set(text)].filter(isUnmappable);
}

const questionMark = Buffer.from('?');

/** `U+0131`, as Unicode writes it. */
export function codePointName(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** A Content-Type field, taken apart (RFC 9110 §8.3.1). */
export interface ContentType {
  /** `type/subtype` in lower case; undefined when the field is absent or malformed. */
  readonly type: string | undefined;
  /** Parameters by lower-case name, quoting undone. Of a repeated one the first counts. */
  readonly params: ReadonlyMap<string, string>;
  /** The charset parameter in lower case. */
  readonly charset: string | undefined;
}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const MEDIA_TYPE = new RegExp(`^[ \\t]*(${TOKEN}/${TOKEN})[ \\t]*(?=;|$)`);
// The blanks after a value stand inside the group, so that no run of blanks can be divided in two ways.
const PARAMETER = `;[ \\t]*(?:(${TOKEN})=(?:(${TOKEN})|"((?:[^"\\\\]|\\\\.)*)")[ \\t]*)?(?=;|$)`;

export function contentTypeOf(header: string | undefined): ContentType {
  const media = MEDIA_TYPE.exec(header ?? '');
  if (!header || !media) return { type: undefined, params: new Map(), charset: undefined };
  const params = parametersOf(header, media[0].length);
  return { type: media[1]!.toLowerCase(), params, charset: params.get('charset')?.toLowerCase() };
}

/** The `; name=value` parameters of a field from an index on, up to the first that is malformed. */
export function parametersOf(header: string, from: number): Map<string, string> {
  const params = new Map<string, string>();
  const parameter = new RegExp(PARAMETER, 'y');
  parameter.lastIndex = from;
  for (let match = parameter.exec(header); match !== null; match = parameter.exec(header)) {
    const [, name, token, quoted] = match;
    if (name === undefined) continue;
    const lowerName = name.toLowerCase();
    if (!params.has(lowerName)) params.set(lowerName, token ?? quoted!.replace(/\\(.)/g, '$1'));
  }
  return params;
}
