/** One element of a DER encoding (X.690): its tag byte and its content. */
export interface DerElement {
  readonly tag: number;
  readonly content: Buffer;
  /** The element itself, tag and length included. */
  readonly whole: Buffer;
}

export const derTags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  enumerated: 0x0a,
  utf8String: 0x0c,
  printableString: 0x13,
  ia5String: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  bmpString: 0x1e,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Far more than any certificate or key store has; an element may take two bytes and costs a hundred times that. */
const MAX_MEMBERS = 100_000;

/** The elements that stand one after the other in these bytes. Throws a RangeError when they are no DER. */
export function derElements(bytes: Buffer): DerElement[] {
  const elements: DerElement[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (elements.length === MAX_MEMBERS) throw new RangeError('it has too many elements');
    const element = derElementAt(bytes, at);
    elements.push(element);
    at += element.whole.length;
  }
  return elements;
}

/** The children of the single element of that tag that these bytes hold. */
export function derChildren(bytes: Buffer, tag: number): DerElement[] {
  const [element, ...rest] = derElements(bytes);
  if (element?.tag !== tag || rest.length > 0) throw new RangeError('another element was expected');
  return derElements(element.content);
}

/** The members of a SEQUENCE, taken one after the other. What is not DER, or not what was expected, is a RangeError. */
export class DerFields {
  readonly #members: readonly DerElement[];
  #at = 0;

  constructor(bytes: Buffer, tag: number = derTags.sequence) {
    this.#members = derChildren(bytes, tag);
  }

  /** The next member, which must have this tag. */
  take(tag: number): DerElement {
    const found = this.takeIf(tag);
    if (!found) throw new RangeError('another element was expected');
    return found;
  }

  /** The next member if it has this tag: an OPTIONAL one. */
  takeIf(tag: number): DerElement | undefined {
    const next = this.#members[this.#at];
    if (next?.tag !== tag) return undefined;
    this.#at++;
    return next;
  }

  takeOid(): string {
    return oidText(this.take(derTags.oid).content);
  }

  /** An INTEGER that fits a number and is not negative. */
  takeCount(): number {
    return derCount(this.take(derTags.integer));
  }
}

/** The INTEGER of an element as a number that is not negative. */
export function derCount({ content }: DerElement): number {
  if (content.length === 0 || content.length > 6 || content[0]! & 0x80)
    throw new RangeError('a number is out of bounds');
  return content.readUIntBE(0, content.length);
}

function derElementAt(bytes: Buffer, start: number): DerElement {
  const tag = byteAt(bytes, start);
  if ((tag & 0x1f) === 0x1f) throw new RangeError('tags of several bytes are not used in certificates');
  const { length, contentAt } = lengthAt(bytes, start + 1);
  const end = contentAt + length;
  if (end > bytes.length) throw new RangeError('the element is cut off');
  return { tag, content: bytes.subarray(contentAt, end), whole: bytes.subarray(start, end) };
}

function lengthAt(bytes: Buffer, at: number): { length: number; contentAt: number } {
  const first = byteAt(bytes, at);
  if (first < 0x80) return { length: first, contentAt: at + 1 };
  const count = first & 0x7f;
  if (count === 0 || count > 4 || at + 1 + count > bytes.length)
    throw new RangeError('the length is not DER');
  return { length: bytes.readUIntBE(at + 1, count), contentAt: at + 1 + count };
}

function byteAt(bytes: Buffer, at: number): number {
  const byte = bytes[at];
  if (byte === undefined) throw new RangeError('the element is cut off');
  return byte;
}

/** An object identifier in dotted form. */
export function oidText(content: Buffer): string {
  const numbers: number[] = [];
  let value = 0;
  for (const byte of content) {
    value = value * 128 + (byte & 0x7f);
    if (byte & 0x80) continue;
    numbers.push(value);
    value = 0;
  }
  const [combined = 0, ...rest] = numbers;
  const root = Math.min(Math.floor(combined / 40), 2);
  return [root, combined - root * 40, ...rest].join('.');
}
