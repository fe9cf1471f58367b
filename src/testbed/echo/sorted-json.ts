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

/** JSON as httpbin writes it: keys sorted, two spaces deep, ended by a newline. */
export function sortedJsonText(value: unknown): string {
  const walk: Walk = { indentationChars: 0 };
  const sorted = withSortedKeys(value, 1, walk);
  const indent = walk.indentationChars > MAX_INDENTATION_CHARS ? 0 : 2;
  try {
    return `${JSON.stringify(sorted, null, indent)}\n`;
  } catch (cause) {
    // The longest string there can be: 100 MiB of control characters take six times as much in JSON.
    if (cause instanceof RangeError) throw fault('echo.too-large', {}, [], { cause });
    throw cause;
  }
}

/** JSON on one line as Python's `json.dumps` writes it, with a space after every comma and colon. */
export function spacedJsonText(value: unknown): string {
  // In JSON a line break can only stand between two tokens.
  return JSON.stringify(value, null, 1).replace(/(,?)\n */g, (_, comma: string) =>
    comma === '' ? '' : ', ',
  );
}

// Numbers that JavaScript would write differently: fractions, exponents, more digits than it keeps, minus zero.
const MAYBE_INEXACT = /\d(?:[.eE]|\d{15})|-0/;

/** JSON.parse that keeps numbers as they were written: 12345678901234567890 and 1.0 come back unchanged. */
export function parseJsonExactly(text: string): unknown {
  if (!MAYBE_INEXACT.test(text)) return JSON.parse(text);
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

/** The value with all keys sorted; what is sorted already, as most objects here are, is not copied. */
function withSortedKeys(value: unknown, depth: number, walk: Walk): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (depth > MAX_DEPTH) throw fault('body.invalid', { rule: `nests deeper than ${MAX_DEPTH} levels` });
  if (Array.isArray(value)) return withSortedItems(value, depth, walk);
  if (sourceAwareJson.isRawJSON(value)) return value;

  const members = value as Record<string, unknown>;
  const keys = Object.keys(members);
  walk.indentationChars += keys.length * depth * 2;
  let copy: Record<string, unknown> | undefined = isSorted(keys) ? undefined : {};
  for (const key of copy ? keys.sort() : keys) {
    const sorted = withSortedKeys(members[key], depth + 1, walk);
    if (!copy && sorted === members[key]) continue;
    copy ??= { ...members };
    setMember(copy, key, sorted);
  }
  return copy ?? value;
}

function withSortedItems(items: readonly unknown[], depth: number, walk: Walk): readonly unknown[] {
  walk.indentationChars += items.length * depth * 2;
  let copy: unknown[] | undefined;
  for (let index = 0; index < items.length; index++) {
    const sorted = withSortedKeys(items[index], depth + 1, walk);
    if (sorted === items[index]) continue;
    copy ??= [...items];
    copy[index] = sorted;
  }
  return copy ?? items;
}

function isSorted(keys: readonly string[]): boolean {
  for (let index = 1; index < keys.length; index++) if (keys[index - 1]! > keys[index]!) return false;
  return true;
}
