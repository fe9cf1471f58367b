import { Type } from 'typebox';
import { isToken } from '../../http1/characters.ts';
import type { HeaderList } from '../../http1/header-list.ts';
import { fault } from '../../kernel/faults.ts';

/** Without `path` the whole site gets the cookie. */
export interface CookieAttributes {
  readonly path?: string;
  readonly domain?: string;
  readonly maxAge?: number;
  /** An HTTP date, or anything Date understands. */
  readonly expires?: string;
  readonly secure?: boolean;
  readonly httpOnly?: boolean;
  readonly sameSite?: string;
  readonly partitioned?: boolean;
  readonly priority?: string;
}

/** One cookie to be set. */
export interface Cookie extends CookieAttributes {
  readonly name: string;
  readonly value: string;
}

/** A list of cookies as clients write it in JSON. */
export const cookieListSchema = Type.Array(
  Type.Object({
    name: Type.String({ minLength: 1, maxLength: 256 }),
    value: Type.String({ maxLength: 16_384 }),
    path: Type.Optional(Type.String({ maxLength: 1024 })),
    domain: Type.Optional(Type.String({ maxLength: 255 })),
    maxAge: Type.Optional(Type.Integer()),
    expires: Type.Optional(Type.String({ description: 'A date.' })),
    secure: Type.Optional(Type.Boolean()),
    httpOnly: Type.Optional(Type.Boolean()),
    sameSite: Type.Optional(Type.Enum(['Strict', 'Lax', 'None'])),
    partitioned: Type.Optional(Type.Boolean()),
    priority: Type.Optional(Type.Enum(['Low', 'Medium', 'High'])),
  }),
  { maxItems: 100 },
);

const PLAIN_VALUE = /^[\w!#$%&'()*+\-./:<=>?@[\]^`{|}~]*$/;
// Printable ASCII without the semicolon that would begin the next attribute.
const ATTRIBUTE_VALUE = /^[\x20-\x3a\x3c-\x7e]*$/;

const httpbinOrder = [
  'Domain',
  'Expires',
  'Max-Age',
  'Secure',
  'HttpOnly',
  'Path',
  'SameSite',
  'Partitioned',
  'Priority',
] as const;
const goOrder = [
  'Path',
  'Domain',
  'Expires',
  'Max-Age',
  'HttpOnly',
  'Secure',
  'SameSite',
  'Partitioned',
  'Priority',
] as const;

/** The value of one Set-Cookie field, attributes in the order the peer of the dialect writes them. */
export function setCookieField(cookie: Cookie, dialect: 'httpbin' | 'go' = 'httpbin'): string {
  const { name, value, maxAge, expires } = cookie;
  if (!isToken(name)) throw fault('cookie.invalid', { name, rule: 'must have a token as its name' });
  const attributes: Readonly<Record<(typeof httpbinOrder)[number], string | boolean | undefined>> = {
    Domain: cookie.domain,
    Expires: expires === undefined ? undefined : httpDate(name, expires),
    'Max-Age': maxAge === undefined ? undefined : String(maxAge),
    Secure: cookie.secure,
    HttpOnly: cookie.httpOnly,
    Path: cookie.path ?? '/',
    SameSite: cookie.sameSite,
    Partitioned: cookie.partitioned,
    Priority: cookie.priority,
  };
  let field = `${name}=${quotedIfNeeded(value)}`;
  for (const attribute of dialect === 'go' ? goOrder : httpbinOrder) {
    const content = attributes[attribute];
    if (content === undefined || content === false || content === '') continue;
    if (content !== true && !ATTRIBUTE_VALUE.test(content)) {
      throw fault('cookie.invalid', {
        name,
        rule: `must have printable ASCII without a semicolon as ${attribute}`,
      });
    }
    field += content === true ? `; ${attribute}` : `; ${attribute}=${content}`;
  }
  return field;
}

/** A field that makes the client forget the cookie. */
export function expiredCookieField(
  name: string,
  options: CookieAttributes = {},
  dialect: 'httpbin' | 'go' = 'httpbin',
): string {
  const expires = new Date(0).toUTCString();
  return setCookieField({ ...options, name, value: '', expires, maxAge: 0 }, dialect);
}

/** The cookies of a request in the order they came, duplicates kept, values as they were sent. */
export function cookiePairs(headers: HeaderList): Array<readonly [name: string, value: string]> {
  const pairs: Array<readonly [string, string]> = [];
  for (const line of headers.all('cookie')) {
    for (const piece of line.split(';')) {
      const text = piece.trim();
      if (text === '') continue;
      const equalsAt = text.indexOf('=');
      const name = equalsAt < 0 ? text : text.slice(0, equalsAt).trim();
      pairs.push([name, equalsAt < 0 ? '' : text.slice(equalsAt + 1).trim()]);
    }
  }
  return pairs;
}

/** The text a sent value stands for: quotes undone, bytes read as UTF-8. */
export function cookieText(sent: string): string {
  return Buffer.from(unquoted(sent), 'latin1').toString('utf8');
}

/** What may not stand bare in a cookie is quoted, and within the quotes written as octal escapes, as httpbin does. */
function quotedIfNeeded(value: string): string {
  if (PLAIN_VALUE.test(value)) return value;
  const bytes = Buffer.from(value, 'utf8').toString('latin1');
  const escaped = bytes.replace(/[\x00-\x1f",;\\\x7f-\xff]/g, (character) =>
    character === '"' || character === '\\'
      ? `\\${character}`
      : `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
  return `"${escaped}"`;
}

function unquoted(sent: string): string {
  if (sent.length < 2 || !sent.startsWith('"') || !sent.endsWith('"')) return sent;
  return sent
    .slice(1, -1)
    .replace(/\\(?:([0-3][0-7]{2})|(.))/g, (_, octal: string | undefined, character: string) =>
      octal === undefined ? character : String.fromCharCode(Number.parseInt(octal, 8)),
    );
}

function httpDate(name: string, text: string): string {
  const date = new Date(text);
  if (Number.isNaN(date.getTime()))
    throw fault('cookie.invalid', { name, rule: 'must have a date as Expires' });
  return date.toUTCString();
}
