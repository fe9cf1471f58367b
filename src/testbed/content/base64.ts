const standardOrUrlSafe = /^[A-Za-z0-9+/_-]*={0,2}$/;

/**
 * Strict base64 in either alphabet: undefined for anything that is none. Padding may be left out only where
 * `isPaddingOptional` says so. Node's own decoder skips what it does not know.
 */
export function decodeBase64(text: string, { isPaddingOptional = false } = {}): Buffer | undefined {
  if (!standardOrUrlSafe.test(text)) return undefined;
  const digits = text.replace(/=+$/, '');
  if (digits.length % 4 === 1) return undefined;
  const isPadded = text.length % 4 === 0;
  const isBare = digits.length === text.length;
  if (!isPadded && !(isPaddingOptional && isBare)) return undefined;
  return Buffer.from(digits, 'base64url');
}

/** UTF-8 text, or undefined when the bytes are none. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
