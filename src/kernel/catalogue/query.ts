export type QueryPairs = ReadonlyArray<readonly [name: string, value: string]>;

/** Splits and decodes a query or urlencoded form: `+` is a space, bad escapes stay as they are, order and duplicates are kept. */
export function parseQuery(raw: string): QueryPairs {
  const pairs: Array<readonly [string, string]> = [];
  for (const piece of raw.split('&')) {
    if (piece === '') continue;
    const equalsAt = piece.indexOf('=');
    const name = equalsAt < 0 ? piece : piece.slice(0, equalsAt);
    const value = equalsAt < 0 ? '' : piece.slice(equalsAt + 1);
    pairs.push([decodeComponent(name), decodeComponent(value)]);
  }
  return pairs;
}

/** Percent-decoding of Latin-1 text (one character per byte) to UTF-8 text; invalid UTF-8 becomes U+FFFD. */
export function decodePercent(text: string): string {
  return /[%\x80-\xff]/.test(text) ? decodedBytes(text).toString('utf8') : text;
}

/** The bytes a piece of a target stands for. */
export function decodedBytes(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  let length = 0;
  for (let index = 0; index < bytes.length; index++) {
    const escaped = bytes[index] === 0x25 ? hexByte(text, index + 1) : undefined;
    bytes[length++] = escaped ?? bytes[index]!;
    if (escaped !== undefined) index += 2;
  }
  return bytes.subarray(0, length);
}

function decodeComponent(text: string): string {
  return decodePercent(text.includes('+') ? text.replaceAll('+', ' ') : text);
}

function hexByte(text: string, at: number): number | undefined {
  const digits = text.slice(at, at + 2);
  return /^[0-9a-fA-F]{2}$/.test(digits) ? Number.parseInt(digits, 16) : undefined;
}
