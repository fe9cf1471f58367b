import { decodedBytes } from '../../kernel/catalogue/query.ts';

/** What a path holds that proxies like to tidy up. Said of the raw path, whatever it decodes to. */
export interface PathOddities {
  readonly dotSegments: boolean;
  readonly doubleSlash: boolean;
  readonly encodedSlash: boolean;
}

export function odditiesOf(rawPath: string): PathOddities {
  return {
    dotSegments: /(^|\/)\.{1,2}(\/|$)/.test(decodeDots(rawPath)),
    doubleSlash: rawPath.includes('//'),
    encodedSlash: /%2f/i.test(rawPath),
  };
}

/** A way proxies rewrite targets, and whether it turned what was sent into what was seen. */
interface Rewriting {
  readonly name: string;
  readonly explains: (sent: string, seen: string) => boolean;
}

const becomes = (rewrite: (text: string) => string) => (sent: string, seen: string) => rewrite(sent) === seen;
const isEqualAfter = (rewrite: (text: string) => string) => (sent: string, seen: string) =>
  rewrite(sent) === rewrite(seen);

// The simplest explanation stands first in each list.
const rewritings: readonly Rewriting[] = [
  { name: 'hex digits changed case', explains: isEqualAfter(upperCaseHex) },
  { name: 'unreserved characters were decoded', explains: becomes(decodeUnreserved) },
  { name: 'characters were percent-encoded', explains: becomes(encodeUnsafe) },
  { name: 'percent-encoding was undone once', explains: becomes(decodeAll) },
  { name: 'percent signs were encoded again', explains: becomes((text) => text.replaceAll('%', '%25')) },
];

const pathRewritings: readonly Rewriting[] = [
  ...rewritings,
  { name: 'dot segments were resolved', explains: becomes(resolveDots) },
  {
    name: 'encoded dots were decoded and resolved',
    explains: becomes((path) => resolveDots(decodeDots(path))),
  },
  { name: 'double slashes were merged', explains: becomes(mergeSlashes) },
  {
    name: 'double slashes were merged and dot segments resolved',
    explains: becomes((path) => resolveDots(mergeSlashes(path))),
  },
  { name: 'encoded slashes were decoded', explains: becomes((path) => path.replace(/%2f/gi, '/')) },
  { name: 'the fragment was cut off', explains: becomes((path) => path.replace(/#.*$/s, '')) },
  { name: 'path parameters were cut off', explains: becomes((path) => path.replace(/;[^/]*/g, '')) },
  {
    name: 'the path was decoded and normalised',
    explains: becomes((path) => resolveDots(mergeSlashes(decodeAll(path)))),
  },
  { name: 'a prefix was stripped', explains: (sent, seen) => sent.endsWith(seen) },
  { name: 'a prefix was added', explains: (sent, seen) => seen.endsWith(sent) },
];

const queryRewritings: readonly Rewriting[] = [
  ...rewritings,
  { name: '+ became %20', explains: becomes((query) => query.replaceAll('+', '%20')) },
  { name: '%20 became +', explains: becomes((query) => query.replaceAll('%20', '+')) },
  {
    name: 'the order of the parameters changed',
    explains: isEqualAfter((query) => query.split('&').sort().join('&')),
  },
];

/** Names the rewriting that explains the difference; undefined when there is none. */
export function explainPath(sent: string, seen: string): string | undefined {
  if (sent === seen) return undefined;
  const found = pathRewritings.find(({ explains }) => explains(sent, seen));
  return found?.name ?? 'the path is another one';
}

export function explainQuery(sent: string | undefined, seen: string | undefined): string | undefined {
  if (sent === seen) return undefined;
  if (sent === undefined) return 'a query was added';
  if (seen === undefined)
    return sent === '' ? 'the empty query lost its question mark' : 'the query was lost';
  const found = queryRewritings.find(({ explains }) => explains(sent, seen));
  return found?.name ?? 'the query is another one';
}

/** RFC 3986 §5.2.4. */
export function resolveDots(path: string): string {
  const kept: string[] = [];
  const segments = path.split('/').slice(1);
  segments.forEach((segment, index) => {
    const isLast = index === segments.length - 1;
    if (segment === '..') kept.pop();
    if (segment !== '.' && segment !== '..') kept.push(segment);
    else if (isLast) kept.push('');
  });
  return `/${kept.join('/')}`;
}

function mergeSlashes(path: string): string {
  return path.replace(/\/{2,}/g, '/');
}

function upperCaseHex(text: string): string {
  return text.replace(/%[0-9a-f]{2}/gi, (escaped) => escaped.toUpperCase());
}

/** Only the dots, which is what traversal hides behind. */
export function decodeDots(text: string): string {
  return text.replace(/%2e/gi, '.');
}

function decodeUnreserved(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (escaped, hex: string) => {
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    return /[A-Za-z0-9._~-]/.test(character) ? character : escaped;
  });
}

function decodeAll(text: string): string {
  return decodedBytes(text).toString('latin1');
}

/** Encodes what RFC 3986 does not allow in a path or query. */
function encodeUnsafe(text: string): string {
  return text.replace(/[^\x21-\x7e]|["<>\\^`{|}]/g, (character) => {
    const hex = character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0');
    return `%${hex}`;
  });
}
