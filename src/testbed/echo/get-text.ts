import { flatText } from '../../http1/flat-text.ts';
import type { SortedFields } from './sorted-fields.ts';

/** By code: whether JSON writes the character as it stands. */
const isPlain = Uint8Array.from({ length: 127 }, (_, code) =>
  JSON.stringify(String.fromCharCode(code)).length === 3 ? 1 : 0,
);

/**
 * The JSON of `/get` without a query, written by hand: it is what everybody measures, and making the object first and
 * then its text takes twice the time. A test holds it against the object's text. Undefined where something in it
 * cannot stand in JSON as it is.
 */
export function getText({ names, values }: SortedFields, origin: string, url: string): string | undefined {
  if (names.length === 0) return undefined;
  if (!isAllPlain(origin) || !isAllPlain(url)) return undefined;
  let text = '{\n  "args": {},\n  "headers": {';
  for (let index = 0; index < names.length; index++) {
    const value = values[index] as string;
    if (!isAllPlain(value)) return undefined;
    text += (index === 0 ? firstKeys : furtherKeys).of(names[index]!) + value;
  }
  return `${text}"\n  },\n  "origin": "${origin}",\n  "url": "${url}"\n}\n`;
}

/** Character by character: for texts as short as these an expression costs more than it saves. */
function isAllPlain(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    if (isPlain[text.charCodeAt(index)] !== 1) return false;
  }
  return true;
}

const MAX_KEPT_KEYS = 1000;
const MAX_KEPT_LENGTH = 64;

/** What stands between the value before and the value of a name, rendered once for each name. */
class Keys {
  readonly #before: string;
  readonly #kept = new Map<string, string>();

  constructor(before: string) {
    this.#before = before;
  }

  of(name: string): string {
    return this.#kept.get(name) ?? this.#render(name);
  }

  #render(name: string): string {
    const key = `${this.#before}\n    ${JSON.stringify(name)}: "`;
    if (name.length > MAX_KEPT_LENGTH) return key;
    if (this.#kept.size >= MAX_KEPT_KEYS) this.#kept.clear();
    this.#kept.set(name, flatText(key));
    return key;
  }
}

const firstKeys = new Keys('');
const furtherKeys = new Keys('",');
