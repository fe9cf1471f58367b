import { createHash, timingSafeEqual } from 'node:crypto';

/** An Authorization field taken apart (RFC 9110 §11.4). */
export interface Authorization {
  /** Lower-case. */
  readonly scheme: string;
  /** What follows the scheme, as sent. */
  readonly rest: string;
  /** Parameters by lower-case name, quoting undone; empty when the scheme is followed by a token. */
  readonly params: ReadonlyMap<string, string>;
}

export interface UserAndPassword {
  readonly user: string;
  readonly password: string;
}

const PARAMETER = /[\s,]*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))\s*(?=,|$)/y;

export function parseAuthorization(header: string | undefined): Authorization | undefined {
  const [, scheme, rest = ''] = /^\s*([^\s,=]+)(?:\s+(.*?))?\s*$/s.exec(header ?? '') ?? [];
  if (scheme === undefined) return undefined;
  return { scheme: scheme.toLowerCase(), rest, params: parametersOf(rest) };
}

/** Empty as soon as one piece is malformed: half-read credentials are no credentials. */
function parametersOf(text: string): Map<string, string> {
  const params = new Map<string, string>();
  const expression = new RegExp(PARAMETER);
  while (expression.lastIndex < text.length) {
    const match = expression.exec(text);
    if (match === null) return new Map();
    const [, name, quoted, token] = match;
    params.set(name!.toLowerCase(), quoted === undefined ? token! : quoted.replace(/\\(.)/gs, '$1'));
    if (/^[\s,]*$/.test(text.slice(expression.lastIndex))) break;
  }
  return params;
}

/** The credentials of a Basic field (RFC 7617); the password may hold colons. */
export function basicCredentials(header: string | undefined): UserAndPassword | undefined {
  const authorization = parseAuthorization(header);
  if (authorization?.scheme !== 'basic') return undefined;
  return userAndPassword(authorization.rest);
}

/** `user:password` in Base64. */
export function userAndPassword(base64: string): UserAndPassword | undefined {
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(base64)) return undefined;
  const text = textOfBytes(Buffer.from(base64, 'base64'));
  const colonAt = text.indexOf(':');
  return colonAt < 0 ? undefined : { user: text.slice(0, colonAt), password: text.slice(colonAt + 1) };
}

/** Header values hold one character per byte; credentials in them are UTF-8 where that is possible. */
export function textOfHeader(value: string): string {
  return textOfBytes(Buffer.from(value, 'latin1'));
}

function textOfBytes(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return bytes.toString('latin1');
  }
}

/** Compares in a time that tells nothing about where the two differ, nor how long the expected one is. */
export function isSameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(sha256(given), sha256(expected));
}

/** Both are always compared, so that the time does not tell which one was wrong. */
export function isSameLogin(given: UserAndPassword | undefined, expected: UserAndPassword): boolean {
  const isUserRight = isSameSecret(given?.user ?? '', expected.user);
  const isPasswordRight = isSameSecret(given?.password ?? '', expected.password);
  return given !== undefined && isUserRight && isPasswordRight;
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
