import { flatText } from '../../http1/flat-text.ts';
import type { SortedFields } from './sorted-fields.ts';

// Everything JSON writes as it stands.
const NEEDS_ESCAPE = /[^ !#-[\]-~]/;

/**
 * The JSON of `/get` without a query, written by hand: it is what everybody measures, and making the object first and
 * then its text takes twice the time. A test holds it against the object's text. Undefined where something in it
 * cannot stand in JSON as it is.
 */
export function getText({ names, values }: SortedFields, origin: string, url: string): string | undefined {
  if (names.length === 0) return undefined;
  let told = origin + url;
  let text = '{\n  "args": {},\n  "headers": {';
  for (let index = 0; index < names.length; index++) {
    const value = values[index] as string;
    text += (index === 0 ? firstKeys : furtherKeys).of(names[index]!) + value;
    told += value;
  }
  if (NEEDS_ESCAPE.test(told)) return undefined;
  return `${text}"\n  },\n  "origin": "${origin}",\n  "url": "${url}"\n}\n`;
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
