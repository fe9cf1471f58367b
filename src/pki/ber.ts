import { derTags } from './der-reader.ts';
import { element } from './der-writer.ts';

const END_OF_CONTENTS = 0;
const CONSTRUCTED = 0x20;
const MAX_ELEMENTS = 200_000;

/**
 * The same structure in DER. Some tools write PKCS #12 with lengths that are told only at the end and strings in pieces;
 * after this nobody else needs to know. What is nested deeper than allowed, or is no BER, is a RangeError.
 */
export function derOfBer(bytes: Buffer, maxDepth: number): Buffer {
  const { der, end } = convert(bytes, 0, { depthLeft: maxDepth, count: { left: MAX_ELEMENTS } });
  if (end !== bytes.length) throw new RangeError('there is something behind the end');
  return der;
}

interface Converted {
  readonly der: Buffer;
  /** Where the next element begins. */
  readonly end: number;
}

interface Bounds {
  readonly depthLeft: number;
  /** Of the whole structure. */
  readonly count: { left: number };
}

function convert(bytes: Buffer, start: number, bounds: Bounds): Converted {
  if (bounds.depthLeft === 0) throw new RangeError('it is nested too deeply');
  if (bounds.count.left-- === 0) throw new RangeError('it has too many elements');
  const tag = byteAt(bytes, start);
  if ((tag & 0x1f) === 0x1f) throw new RangeError('tags of several bytes are not used here');
  const { length, contentAt } = lengthAt(bytes, start + 1);
  const limit = length === undefined ? bytes.length : contentAt + length;
  if (limit > bytes.length) throw new RangeError('it is cut off');
  if (!(tag & CONSTRUCTED)) {
    if (length === undefined) throw new RangeError('a plain value has no length');
    return { der: element(tag, bytes.subarray(contentAt, limit)), end: limit };
  }
  const { members, end } = convertMembers(bytes, contentAt, limit, length === undefined, {
    ...bounds,
    depthLeft: bounds.depthLeft - 1,
  });
  return { der: joined(tag, members), end };
}

function convertMembers(
  bytes: Buffer,
  start: number,
  limit: number,
  isOpenEnded: boolean,
  bounds: Bounds,
): { members: Buffer[]; end: number } {
  const members: Buffer[] = [];
  let at = start;
  while (isOpenEnded ? bytes[at] !== END_OF_CONTENTS : at < limit) {
    const { der, end } = convert(bytes, at, bounds);
    if (end > limit) throw new RangeError('an element is longer than what it stands in');
    members.push(der);
    at = end;
  }
  if (!isOpenEnded) return { members, end: at };
  if (bytes[at + 1] !== 0) throw new RangeError('it is cut off');
  return { members, end: at + 2 };
}

/** An OCTET STRING in pieces becomes a whole one. */
function joined(tag: number, members: readonly Buffer[]): Buffer {
  if (tag !== (derTags.octetString | CONSTRUCTED)) return element(tag, ...members);
  return element(derTags.octetString, ...members.map(contentOf));
}

function contentOf(der: Buffer): Buffer {
  return der.subarray(lengthAt(der, 1).contentAt);
}

function lengthAt(bytes: Buffer, at: number): { length: number | undefined; contentAt: number } {
  const first = byteAt(bytes, at);
  if (first < 0x80) return { length: first, contentAt: at + 1 };
  const count = first & 0x7f;
  if (count === 0) return { length: undefined, contentAt: at + 1 };
  if (count > 4 || at + 1 + count > bytes.length) throw new RangeError('a length is out of bounds');
  return { length: bytes.readUIntBE(at + 1, count), contentAt: at + 1 + count };
}

function byteAt(bytes: Buffer, at: number): number {
  const byte = bytes[at];
  if (byte === undefined) throw new RangeError('it is cut off');
  return byte;
}
