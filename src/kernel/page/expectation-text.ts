import type { Expectation } from '../catalogue/endpoint.ts';

/** One promise of an example: what is looked at, and what it must be. */
export interface ShownPromise {
  readonly subject: string;
  readonly text: string;
}

/** What must come back beside the status, in the words of the page. */
export function promisesOf(expectation: Expectation): ShownPromise[] {
  const { headers = {}, text, hex, sha256, length, decodedText, wire, ends, notBeforeMs } = expectation;
  const promises: ShownPromise[] = [];
  const promise = (subject: string, shown: string | undefined) => {
    if (shown !== undefined) promises.push({ subject, text: shown });
  };
  for (const [name, value] of Object.entries(headers))
    promise(name, value === null ? 'absent' : shownText(value));
  if ('json' in expectation) promise('JSON holds', jsonText(expectation.json));
  promise('body', shownText(text));
  promise('decoded body', shownText(decodedText));
  promise('bytes', hex);
  promise('SHA-256', sha256);
  promise('length', length === undefined ? undefined : `${length} bytes`);
  promise('on the wire', shownText(wire));
  promise('connection', ends && ENDINGS[ends]);
  promise('not before', notBeforeMs === undefined ? undefined : `${notBeforeMs} ms`);
  return promises;
}

const ENDINGS = { close: 'closed', reset: 'reset', open: 'stays open' };

function shownText(value: string | RegExp | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (value instanceof RegExp) return `matches ${value}`;
  return value === '' ? 'empty' : value;
}

const LONGEST_LINE = 90;

/** JSON in which patterns stand as they are written, on one line where that can be read. */
function jsonText(value: unknown): string {
  const patterns: RegExp[] = [];
  // Escaped like texts they could not be read; a character that no example uses keeps their places.
  const text = JSON.stringify(
    value,
    (_, member) => (member instanceof RegExp ? `\uE000${patterns.push(member) - 1}` : member),
    2,
  ).replace(/"\uE000(\d+)"/g, (_, index) => String(patterns[index]));
  const line = text.replace(/\n\s*/g, ' ');
  return line.length <= LONGEST_LINE ? line : text;
}
