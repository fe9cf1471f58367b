/** Header fields in wire order, casing and duplicates kept: name, value, name, value, … One character is one byte (Latin-1). */
export type HeaderPairs = readonly string[];

/** Read access to the header fields of one message. Lookups take lower-case names. */
export class HeaderList {
  readonly raw: HeaderPairs;

  constructor(raw: HeaderPairs) {
    this.raw = raw;
  }

  get size(): number {
    return this.raw.length / 2;
  }

  has(lowerName: string): boolean {
    return this.first(lowerName) !== undefined;
  }

  /** The first value of a field. */
  first(lowerName: string): string | undefined {
    const { raw } = this;
    for (let index = 0; index < raw.length; index += 2) {
      if (isSameName(raw[index]!, lowerName)) return raw[index + 1]!;
    }
    return undefined;
  }

  /** Every value of a field, one per line that was sent. */
  all(lowerName: string): string[] {
    const values: string[] = [];
    const { raw } = this;
    for (let index = 0; index < raw.length; index += 2) {
      if (isSameName(raw[index]!, lowerName)) values.push(raw[index + 1]!);
    }
    return values;
  }

  /** The field as one value: lines joined as RFC 9110 §5.3 says (cookies by `; `, RFC 9113 §8.2.3). */
  get(lowerName: string): string | undefined {
    const values = this.all(lowerName);
    if (values.length <= 1) return values[0];
    return values.join(lowerName === 'cookie' ? '; ' : ', ');
  }

  *pairs(): Generator<[name: string, value: string]> {
    for (let index = 0; index < this.raw.length; index += 2) {
      yield [this.raw[index]!, this.raw[index + 1]!];
    }
  }
}

/** Names are compared without regard to case; the second is in lower case. */
export function isSameName(name: string, lowerName: string): boolean {
  if (name.length !== lowerName.length) return false;
  for (let at = 0; at < name.length; at++) {
    const code = name.charCodeAt(at);
    if ((code >= 0x41 && code <= 0x5a ? code | 0x20 : code) !== lowerName.charCodeAt(at)) return false;
  }
  return true;
}
