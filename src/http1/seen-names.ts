import { flatText } from './flat-text.ts';

const SLOTS = 256;
const MAX_KEPT_LENGTH = 40;

/** Each name stands where its length and its first and last character put it, and makes way for the next one there. */
const seenNames: string[] = new Array(SLOTS).fill('');

/**
 * The field name from `start` to `end` of a text, spelled as there. Senders use few names over and over: one that was
 * seen before is given back as the same string, which costs no copy and whose hash is known to every table it is looked up in.
 */
export function fieldNameAt(text: string, start: number, end: number): string {
  const length = end - start;
  const slot = (length * 7 + text.charCodeAt(start) * 5 + text.charCodeAt(end - 1) * 3) & (SLOTS - 1);
  const seen = seenNames[slot]!;
  if (seen.length === length && standsAt(text, start, seen)) return seen;
  if (length > MAX_KEPT_LENGTH) return text.slice(start, end);
  const name = flatText(text.slice(start, end));
  seenNames[slot] = name;
  return name;
}

function standsAt(text: string, start: number, name: string): boolean {
  for (let at = 0; at < name.length; at++) {
    if (text.charCodeAt(start + at) !== name.charCodeAt(at)) return false;
  }
  return true;
}
