import { CR, isTargetCode, isTokenCode, LF, SPACE } from './characters.ts';
import { refusedLineBreak } from './field-parser.ts';
import type { Http1Limits } from './limits.ts';
import { Refusal } from './refusals.ts';

export interface RequestLine {
  readonly method: string;
  readonly target: string;
  readonly version: '1.0' | '1.1';
  /** Where the first field line begins. */
  readonly end: number;
}

const VERSION_LENGTH = 'HTTP/1.1'.length;

/** Reads the request line at the beginning of a head. */
export function parseRequestLine(text: string, limits: Http1Limits): RequestLine {
  let at = 0;
  while (isTokenCode[text.charCodeAt(at)] === 1) at++;
  if (at > limits.maxMethodBytes) throw new Refusal('method-too-long', { maxBytes: limits.maxMethodBytes });
  if (at === 0 || text.charCodeAt(at) !== SPACE) throw refusedAt(text, at, 'method-invalid');
  const method = methodOf(text, at);

  const targetStart = at + 1;
  at = targetStart;
  while (isTargetCode[text.charCodeAt(at)] === 1) at++;
  if (at - targetStart > limits.maxTargetBytes)
    throw new Refusal('target-too-long', { maxBytes: limits.maxTargetBytes });
  if (at === targetStart) throw refusedAt(text, at, 'request-line-invalid');
  if (text.charCodeAt(at) !== SPACE) throw refusedAt(text, at, 'target-invalid');
  const target = text.slice(targetStart, at);
  if (!goesWith(method, target)) throw new Refusal('target-invalid');

  const versionStart = at + 1;
  const end = versionStart + VERSION_LENGTH + 2;
  const version = versionAt(text, versionStart);
  if (text.charCodeAt(end - 2) !== CR || text.charCodeAt(end - 1) !== LF) {
    throw refusedAt(text, end - 2, 'request-line-invalid');
  }
  return { method, target, version, end };
}

/** The most usual methods are always the same strings, which tables find faster than copies. */
function methodOf(text: string, length: number): string {
  if (length === 3 && text.startsWith('GET')) return 'GET';
  if (length === 4 && text.startsWith('POST')) return 'POST';
  return text.slice(0, length);
}

function versionAt(text: string, at: number): '1.0' | '1.1' {
  if (text.startsWith('HTTP/1.1', at)) return '1.1';
  if (text.startsWith('HTTP/1.0', at)) return '1.0';
  const found = /^HTTP\/([0-9])\.[0-9]/.exec(text.slice(at, at + VERSION_LENGTH));
  if (found === null)
    throw new Refusal(text.startsWith('HTTP/', at) ? 'version-invalid' : 'request-line-invalid');
  if (found[1] !== '1') throw new Refusal('version-unsupported');
  // A higher minor version is answered as the highest one known (RFC 9110 §2.5).
  return '1.1';
}

/** A request line that ends too early is malformed as a whole; anything else is the fault of the part read last. */
function refusedAt(
  text: string,
  at: number,
  part: 'method-invalid' | 'target-invalid' | 'request-line-invalid',
): Refusal {
  const lineBreak = refusedLineBreak(text, at);
  if (lineBreak !== undefined) return lineBreak;
  return new Refusal(text.charCodeAt(at) === CR ? 'request-line-invalid' : part);
}

const SLASH = 47;
const AUTHORITY_FORM = /^(?:\[[0-9A-Fa-f:.]+\]|[^/?#@:[\]]+):[0-9]+$/;
const ABSOLUTE_FORM = /^([A-Za-z][A-Za-z0-9+.-]*):(.*)$/;
const AUTHORITY_OF_HTTP = /^\/\/([^/?#]+)/;

/** The four forms of RFC 9112 §3.2: origin, absolute, authority for CONNECT alone, asterisk for OPTIONS alone. */
function goesWith(method: string, target: string): boolean {
  if (method === 'CONNECT') return AUTHORITY_FORM.test(target);
  if (target.charCodeAt(0) === SLASH) return true;
  if (target === '*') return method === 'OPTIONS';
  const absolute = ABSOLUTE_FORM.exec(target);
  if (absolute === null) return false;
  const scheme = absolute[1]!.toLowerCase();
  if (scheme !== 'http' && scheme !== 'https') return true;
  // An http address needs a host, and one with user information is an attempt to deceive (RFC 9110 §4.2.1, §4.2.4).
  const authority = AUTHORITY_OF_HTTP.exec(absolute[2]!)?.[1];
  return authority !== undefined && !authority.includes('@') && !authority.startsWith(':');
}
