import { fault } from '../../kernel/faults.ts';

/** The part of ECMAScript's JSON that TypeScript's library does not declare yet. */
interface SourceAwareJson {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): object;
  isRawJSON(value: unknown): boolean;
}

const sourceAwareJson = JSON as unknown as SourceAwareJson;

// Indentation grows with depth times members: a small body must not become an answer of gigabytes.
const MAX_INDENTATION_CHARS = 16 * 1024 * 1024;
const MAX_DEPTH = 1000;

/** JSON as httpbin writes it: keys sorted, two spaces deep, ended by a newline. Very deep values come without line breaks. */
export function sortedJsonText(value: unknown): string {
  const walk: Walk = { indentationChars: 0 };
  const sorted = withSortedKeys(value, 1, walk);
  return `${stringify(sorted, walk)}\n`;
}

/** The text of one member of an object that is itself written by hand, one level deep. */
export function sortedMemberText(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const walk: Walk = { indentationChars: 0 };
  const sorted = withSortedKeys(value, 2, walk);
  return stringify(sorted, walk).replaceAll('\n', '\n  ');
}

/** A string as JSON. Short plain ones, nearly all there are, need no call into the engine. */
export function quoted(text: string): string {
  if (text.length > 64) return JSON.stringify(text);
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || code === 0x22 || code === 0x5c || code > 0xff) return JSON.stringify(text);
  }
  return `"${text}"`;
}

/** JSON.parse that keeps numbers as they were written: 12345678901234567890 and 1.0 come back unchanged. */
export function parseJsonExactly(text: string): unknown {
  if (!/\d{16}|\d[.eE]|-0/.test(text)) return JSON.parse(text);
  return sourceAwareJson.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && String(value) !== source ? sourceAwareJson.rawJSON(source!) : value,
  );
}

/** Sets an own member whatever its name; an assignment to `__proto__` would set the prototype. */
export function setMember(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[name] = value;
  }
}

interface Walk {
  indentationChars: number;
}

function withSortedKeys(value: unknown, depth: number, walk: Walk): unknown {
  if (value === null || typeof value !== 'object' || sourceAwareJson.isRawJSON(value)) return value;
  if (depth > MAX_DEPTH) throw fault('body.invalid', { rule: `nests deeper than ${MAX_DEPTH} levels` });

  if (Array.isArray(value)) {
    walk.indentationChars += value.length * depth * 2;
    return value.map((item) => withSortedKeys(item, depth + 1, walk));
  }
  const keys = Object.keys(value).sort();
  walk.indentationChars += keys.length * depth * 2;
  const sorted: Record<string, unknown> = {};
  for (const key of keys) {
    setMember(sorted, key, withSortedKeys((value as Record<string, unknown>)[key], depth + 1, walk));
  }
  return sorted;
}

function stringify(value: unknown, { indentationChars }: Walk): string {
  return JSON.stringify(value, null, indentationChars > MAX_INDENTATION_CHARS ? 0 : 2);
}
