import type { SortedFields } from './sorted-fields.ts';

// Everything JSON writes as it stands.
const NEEDS_ESCAPE = /[^ !#-[\]-~]/;

/**
 * The JSON of `/get` without a query, written by hand: it is what everybody measures, and making the object first and
 * then its text takes twice the time. A test holds it against the object's text.
 */
export function getText({ names, values }: SortedFields, origin: string, url: string): string {
  let fields = '';
  for (let index = 0; index < names.length; index++) {
    const separator = index === 0 ? '\n    ' : ',\n    ';
    fields += `${separator}${quoted(names[index]!)}: ${quoted(values[index] as string)}`;
  }
  const headers = fields === '' ? '{}' : `{${fields}\n  }`;
  return `{\n  "args": {},\n  "headers": ${headers},\n  "origin": ${quoted(origin)},\n  "url": ${quoted(url)}\n}\n`;
}

function quoted(text: string): string {
  return NEEDS_ESCAPE.test(text) ? JSON.stringify(text) : `"${text}"`;
}
