import { COLON, CR, isBlank, isFieldValueCode, isTokenCode, LF } from './characters.ts';
import type { MessageFields } from './message-fields.ts';
import { Refusal } from './refusals.ts';
import { fieldNameAt } from './seen-names.ts';

/**
 * Reads field lines, each ended by CRLF, from `from` to `to` of a Latin-1 text. Every character is looked at once.
 * Heads and trailers, requests and answers are read by this one function.
 */
export function parseFieldLines(
  text: string,
  from: number,
  to: number,
  fields: MessageFields,
  maxCount: number,
): void {
  let at = from;
  let count = 0;
  while (at < to) {
    const nameStart = at;
    while (isTokenCode[text.charCodeAt(at)] === 1) at++;
    if (at === nameStart || text.charCodeAt(at) !== COLON) throw refusedName(text, nameStart, at, from);
    const name = fieldNameAt(text, nameStart, at);

    at++;
    while (isBlank(text.charCodeAt(at))) at++;
    const valueStart = at;
    while (isFieldValueCode[text.charCodeAt(at)] === 1) at++;
    if (text.charCodeAt(at) !== CR || text.charCodeAt(at + 1) !== LF) throw refusedValue(text, at);
    let valueEnd = at;
    while (valueEnd > valueStart && isBlank(text.charCodeAt(valueEnd - 1))) valueEnd--;

    if (++count > maxCount) throw new Refusal('too-many-headers', { maxCount });
    fields.add(name, text.slice(valueStart, valueEnd));
    at += 2;
  }
}

function refusedName(text: string, nameStart: number, at: number, from: number): Refusal {
  const code = text.charCodeAt(at);
  if (at === nameStart && isBlank(code)) {
    return new Refusal(nameStart === from ? 'leading-whitespace' : 'obs-fold');
  }
  if (isBlank(code) && /^[ \t]+:/.test(text.slice(at))) return new Refusal('space-before-colon');
  return refusedLineBreak(text, at) ?? new Refusal('header-name-invalid');
}

function refusedValue(text: string, at: number): Refusal {
  return refusedLineBreak(text, at) ?? new Refusal('header-value-invalid');
}

/** A line break that is only half of one. */
export function refusedLineBreak(text: string, at: number): Refusal | undefined {
  const code = text.charCodeAt(at);
  if (code === LF) return new Refusal('bare-lf');
  if (code === CR && text.charCodeAt(at + 1) !== LF) return new Refusal('bare-cr');
  return undefined;
}
