import { isUtf8 } from 'node:buffer';

/** Bytes that stand for no character. */
interface InvalidSequence {
  readonly offset: number;
  readonly hex: string;
}

export interface DecodedText {
  /** The text, U+FFFD in the place of every invalid sequence. A byte-order mark is not part of it. */
  readonly text: string;
  readonly isValid: boolean;
  /** The invalid sequences, at most the first 100. */
  readonly invalid: readonly InvalidSequence[];
}

const MOST_REPORTED = 100;
const REPLACEMENT = '\uFFFD';

/** UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF. */
export function decodeUtf8(bytes: Buffer): DecodedText {
  if (isUtf8(bytes)) return { text: bytes.toString('utf8'), isValid: true, invalid: [] };
  const invalid: InvalidSequence[] = [];
  let offset = 0;
  while (offset < bytes.length && invalid.length < MOST_REPORTED) {
    const sequence = utf8SequenceAt(bytes, offset);
    if (!sequence.isValid) invalid.push(sequenceOf(bytes, offset, sequence.length));
    offset += sequence.length;
  }
  return { text: bytes.toString('utf8'), isValid: false, invalid };
}

/**
 * The sequence that begins at the offset. An invalid one is as long as it could still have become valid
 * ("maximal subpart", Unicode §3.9), which is also what one U+FFFD replaces.
 */
function utf8SequenceAt(bytes: Buffer, offset: number): { length: number; isValid: boolean } {
  const lead = bytes[offset]!;
  if (lead < 0x80) return { length: 1, isValid: true };
  const wanted =
    lead >= 0xc2 && lead < 0xe0 ? 2 : lead >= 0xe0 && lead < 0xf0 ? 3 : lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
  if (wanted === 0) return { length: 1, isValid: false };
  let length = 1;
  while (length < wanted) {
    const byte = bytes[offset + length];
    const [lowest, highest] = length === 1 ? secondByteRange(lead) : [0x80, 0xbf];
    if (byte === undefined || byte < lowest || byte > highest) return { length, isValid: false };
    length++;
  }
  return { length, isValid: true };
}

function secondByteRange(lead: number): readonly [lowest: number, highest: number] {
  if (lead === 0xe0) return [0xa0, 0xbf];
  if (lead === 0xed) return [0x80, 0x9f];
  if (lead === 0xf0) return [0x90, 0xbf];
  if (lead === 0xf4) return [0x80, 0x8f];
  return [0x80, 0xbf];
}

export function decodeUtf16(bytes: Buffer, isLittleEndian: boolean): DecodedText {
  const evenLength = bytes.length - (bytes.length % 2);
  const even = Buffer.from(bytes.subarray(0, evenLength));
  if (!isLittleEndian) even.swap16();
  const text = even.toString('utf16le');
  if (text.isWellFormed() && evenLength === bytes.length) return { text, isValid: true, invalid: [] };
  const invalid: InvalidSequence[] = [];
  for (let unit = 0; unit < text.length && invalid.length < MOST_REPORTED; unit++) {
    const codePoint = text.codePointAt(unit)!;
    if (codePoint > 0xffff) unit++;
    else if (codePoint >= 0xd800 && codePoint <= 0xdfff) invalid.push(sequenceOf(bytes, unit * 2, 2));
  }
  const isCut = evenLength < bytes.length;
  if (isCut && invalid.length < MOST_REPORTED) invalid.push(sequenceOf(bytes, evenLength, 1));
  return { text: text.toWellFormed() + (isCut ? REPLACEMENT : ''), isValid: false, invalid };
}

export function decodeUtf32(bytes: Buffer, isLittleEndian: boolean): DecodedText {
  const pieces: string[] = [];
  const invalid: InvalidSequence[] = [];
  let isValid = true;
  for (let offset = 0; offset < bytes.length; offset += 4) {
    const isWhole = offset + 4 <= bytes.length;
    const codePoint = isWhole
      ? isLittleEndian
        ? bytes.readUInt32LE(offset)
        : bytes.readUInt32BE(offset)
      : -1;
    if (isScalarValue(codePoint)) {
      pieces.push(String.fromCodePoint(codePoint));
      continue;
    }
    isValid = false;
    pieces.push(REPLACEMENT);
    if (invalid.length < MOST_REPORTED) invalid.push(sequenceOf(bytes, offset, 4));
  }
  return { text: pieces.join(''), isValid, invalid };
}

/** Charsets of one byte per character, all of them ASCII in their lower half. */
export function decodeSingleByte(bytes: Buffer, characters: readonly (string | undefined)[]): DecodedText {
  const invalid: InvalidSequence[] = [];
  let isValid = true;
  const text = bytes.toString('latin1').replace(/[\x80-\xff]/g, (byte, offset: number) => {
    const character = characters[byte.charCodeAt(0)];
    if (character !== undefined) return character;
    isValid = false;
    if (invalid.length < MOST_REPORTED) invalid.push(sequenceOf(bytes, offset, 1));
    return REPLACEMENT;
  });
  return { text, isValid, invalid };
}

/** A charset only the platform's decoder knows: it tells that something is wrong, not where, so the first place is searched for. */
export function decodeByPlatform(bytes: Buffer, label: string): DecodedText {
  const text = new TextDecoder(label, { ignoreBOM: true }).decode(bytes);
  if (isValidStart(bytes, label, true)) return { text, isValid: true, invalid: [] };
  let validLength = 0;
  let invalidLength = bytes.length;
  while (invalidLength - validLength > 1) {
    const middle = (validLength + invalidLength) >>> 1;
    if (isValidStart(bytes.subarray(0, middle), label, false)) validLength = middle;
    else invalidLength = middle;
  }
  // The sequence that went wrong may have begun before the byte that proved it: it begins where the whole characters end.
  let offset = validLength;
  while (offset > 0 && !isValidStart(bytes.subarray(0, offset), label, true)) offset--;
  return { text, isValid: false, invalid: [sequenceOf(bytes, offset, invalidLength - offset)] };
}

function isValidStart(bytes: Buffer, label: string, isWhole: boolean): boolean {
  try {
    new TextDecoder(label, { fatal: true, ignoreBOM: true }).decode(bytes, { stream: !isWhole });
    return true;
  } catch {
    return false;
  }
}

function isScalarValue(codePoint: number): boolean {
  return (codePoint >= 0 && codePoint < 0xd800) || (codePoint > 0xdfff && codePoint <= 0x10ffff);
}

function sequenceOf(bytes: Buffer, offset: number, length: number): InvalidSequence {
  return { offset, hex: bytes.toString('hex', offset, Math.min(offset + length, bytes.length)) };
}
