/** Names of what people make: letters, digits, space, `.`, `_`, `-`; no space at either end; at most 100 characters. */
const NAME = /^[\p{L}\p{N}._-](?:[\p{L}\p{N} ._-]{0,98}[\p{L}\p{N}._-])?$/u;

export const NAME_RULE =
  'must be 1 to 100 letters, digits, spaces, dots, underscores or hyphens, with no space at either end';

/** A name of dots alone would be a step in a path. */
export function isName(text: string): boolean {
  return NAME.test(text) && !/^\.+$/.test(text);
}
