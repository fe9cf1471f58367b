// Writes DER (X.690). Every function gives the whole element; a part that is undefined is an OPTIONAL one left out.

import { derTags } from './der-reader.ts';

type Part = Buffer | undefined;

/** An element of any tag. */
export function element(tag: number, ...parts: readonly Part[]): Buffer {
  const present = parts.filter((part) => part !== undefined);
  const length = present.reduce((total, part) => total + part.length, 0);
  return Buffer.concat([headOf(tag, length), ...present]);
}

function headOf(tag: number, length: number): Buffer {
  if (length < 0x80) return Buffer.of(tag, length);
  const bytes = minimalBytes(BigInt(length));
  return Buffer.from([tag, 0x80 | bytes.length, ...bytes]);
}

function minimalBytes(value: bigint): Buffer {
  const hex = value.toString(16);
  return Buffer.from(hex.length % 2 ? `0${hex}` : hex, 'hex');
}

export function sequence(...parts: readonly Part[]): Buffer {
  return element(derTags.sequence, ...parts);
}

/** A SET OF: DER wants its members in the order of their bytes. */
export function setOf(...members: readonly Buffer[]): Buffer {
  return element(derTags.set, ...members.toSorted(Buffer.compare));
}

export function boolean(value: boolean): Buffer {
  return element(derTags.boolean, Buffer.of(value ? 0xff : 0));
}

/** An INTEGER that is not negative. */
export function integer(value: bigint | number): Buffer {
  const bytes = minimalBytes(BigInt(value));
  return element(derTags.integer, bytes[0]! & 0x80 ? Buffer.of(0) : undefined, bytes);
}

export function enumerated(value: number): Buffer {
  return element(derTags.enumerated, Buffer.of(value));
}

export function octetString(bytes: Buffer): Buffer {
  return element(derTags.octetString, bytes);
}

export function bitString(bytes: Buffer): Buffer {
  return element(derTags.bitString, Buffer.of(0), bytes);
}

/** A BIT STRING of named bits: the ones that are set, counted from zero; trailing zero bits are left out. */
export function namedBits(bits: readonly number[]): Buffer {
  if (bits.length === 0) return element(derTags.bitString, Buffer.of(0));
  const highest = Math.max(...bits);
  const bytes = Buffer.alloc((highest >> 3) + 1);
  for (const bit of bits) bytes[bit >> 3]! |= 0x80 >> (bit & 7);
  return element(derTags.bitString, Buffer.of(7 - (highest & 7)), bytes);
}

export function nothing(): Buffer {
  return element(derTags.null);
}

/** An object identifier from its dotted form. */
export function oid(dotted: string): Buffer {
  const [root = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return element(derTags.oid, Buffer.from([root * 40 + second, ...rest].flatMap(base128)));
}

function base128(value: number): number[] {
  const groups = [value % 128];
  for (let left = Math.floor(value / 128); left > 0; left = Math.floor(left / 128))
    groups.unshift(0x80 | (left % 128));
  return groups;
}

export function utf8String(text: string): Buffer {
  return element(derTags.utf8String, Buffer.from(text));
}

export function printableString(text: string): Buffer {
  return element(derTags.printableString, Buffer.from(text, 'latin1'));
}

export function ia5String(text: string): Buffer {
  return element(derTags.ia5String, Buffer.from(text, 'latin1'));
}

/** Two bytes a character, the high one first. */
export function bmpString(text: string): Buffer {
  return element(derTags.bmpString, Buffer.from(text, 'utf16le').swap16());
}

/** `20260102030405Z` */
export function generalizedTime(date: Date): Buffer {
  return element(derTags.generalizedTime, Buffer.from(compactTime(date)));
}

/** The time of a certificate: UTCTime with its two digits until 2049, GeneralizedTime after (RFC 5280 §4.1.2.5). */
export function time(date: Date): Buffer {
  const year = date.getUTCFullYear();
  if (year < 1950 || year > 2049) return generalizedTime(date);
  return element(derTags.utcTime, Buffer.from(compactTime(date).slice(2)));
}

function compactTime(date: Date): string {
  return `${date.toISOString().slice(0, 19).replace(/[-T:]/g, '')}Z`;
}

/** `[number] EXPLICIT`, and IMPLICIT of everything that has members of its own. */
export function tagged(number: number, ...parts: readonly Part[]): Buffer {
  return element(0xa0 | number, ...parts);
}

/** `[number] IMPLICIT` of a plain value: its content without the tag it would have. */
export function taggedValue(number: number, content: Buffer): Buffer {
  return element(0x80 | number, content);
}
