const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
/** The letter after the backslash, and the code unit that both stand for; other characters stand for themselves. */
const escapes = new Map([
  [0x62, 0x08],
  [0x66, 0x0c],
  [0x6e, 0x0a],
  [0x72, 0x0d],
  [0x74, 0x09],
]);

/** The strings of a snapshot, as the JSON text they came in: few of them are ever looked at. */
export class SnapshotStrings {
  readonly #json: Buffer;
  readonly #begin: Uint32Array;
  readonly #end: Uint32Array;

  /** `begin` and `end` lead to what stands between the quotes. */
  constructor(json: Buffer, begin: Uint32Array, end: Uint32Array) {
    this.#json = json;
    this.#begin = begin;
    this.#end = end;
  }

  get count(): number {
    return this.#begin.length;
  }

  text(place: number): string {
    const raw = this.#json.subarray(this.#begin[place], this.#end[place]);
    return raw.includes(BACKSLASH) ? utf16Text(unescaped(raw)) : raw.toString('latin1');
  }

  /** The UTF-16 code units; a view of the text itself where it holds nothing but ASCII without escapes. */
  units(place: number): Uint8Array | Uint16Array {
    const raw = this.#json.subarray(this.#begin[place], this.#end[place]);
    return raw.includes(BACKSLASH) ? unescaped(raw) : raw;
  }

  /** Where the text stands; -1 when it is not among them. */
  placeOf(text: string): number {
    const wanted = Buffer.from(text, 'latin1');
    for (let place = 0; place < this.count; place++) {
      const begin = this.#begin[place]!;
      const end = this.#end[place]!;
      if (end - begin === wanted.length && this.#json.compare(wanted, 0, wanted.length, begin, end) === 0)
        return place;
    }
    return -1;
  }

  /** The number that a text of digits stands for; undefined for any other text. */
  index(place: number): number | undefined {
    let value = 0;
    const end = this.#end[place]!;
    const begin = this.#begin[place]!;
    if (begin === end || end - begin > 9) return undefined;
    for (let at = begin; at < end; at++) {
      const digit = this.#json[at]! - 0x30;
      if (digit < 0 || digit > 9) return undefined;
      value = value * 10 + digit;
    }
    return value;
  }
}

function utf16Text({ buffer, byteLength }: Uint16Array): string {
  return Buffer.from(buffer, 0, byteLength).toString('utf16le');
}

/** V8 escapes everything beyond ASCII, so that a byte here is a code unit there. */
function unescaped(raw: Buffer): Uint16Array {
  const units = new Uint16Array(raw.length);
  let count = 0;
  for (let at = 0; at < raw.length; at++) {
    let unit = raw[at]!;
    if (unit === BACKSLASH) {
      unit = raw[++at]!;
      if (unit === LETTER_U) {
        unit = Number.parseInt(raw.toString('latin1', at + 1, at + 5), 16);
        at += 4;
      } else unit = escapes.get(unit) ?? unit;
    }
    units[count++] = unit;
  }
  return units.subarray(0, count);
}
