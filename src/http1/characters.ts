/** Tables over one byte: 1 where the character belongs to the class. Indexed by charCodeAt of Latin-1 text. */

const TOKEN_SIGNS = "!#$%&'*+-.^_`|~";
const LETTERS_AND_DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

export const TAB = 9;
export const LF = 10;
export const CR = 13;
export const SPACE = 32;
export const COLON = 58;

/** `tchar` of RFC 9110 §5.6.2: methods and field names. */
export const isTokenCode = tableOf((code) =>
  (LETTERS_AND_DIGITS + TOKEN_SIGNS).includes(String.fromCharCode(code)),
);

/** What a field value holds, RFC 9110 §5.5: tab, space, visible characters and bytes from 0x80. */
export const isFieldValueCode = tableOf(
  (code) => code === TAB || (code >= SPACE && code <= 0x7e) || code >= 0x80,
);

/** What a request target holds: anything but controls and space. Bytes from 0x80 stay as they were sent. */
export const isTargetCode = tableOf((code) => (code > SPACE && code <= 0x7e) || code >= 0x80);

/** The table of the characters that belong to a class. */
export function tableOf(belongs: (code: number) => boolean): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, code) => (belongs(code) ? 1 : 0));
}

export function isToken(text: string): boolean {
  return text.length > 0 && consistsOf(isTokenCode, text);
}

/** The class of `isFieldValueCode` for a text that may be put together from parts, on which a loop would be slow. */
const NO_FIELD_VALUE = /[^\t\x20-\x7e\x80-\xff]/;

/** Characters above 0xff do not belong, so nothing that Latin-1 would cut down to a CR or LF gets through. */
export function isFieldValue(text: string): boolean {
  return !NO_FIELD_VALUE.test(text);
}

/** Whether every character is in the table. For short texts in one piece this beats a regular expression. */
export function consistsOf(table: Uint8Array, text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    if (table[text.charCodeAt(at)] !== 1) return false;
  }
  return true;
}

export function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}

/** Without the spaces and tabs around it. A regular expression would take quadratic time over long runs within. */
export function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}
