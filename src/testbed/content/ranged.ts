import { createHash } from 'node:crypto';
import { type PlainAnswer, reply } from '../../kernel/catalogue/answer.ts';
import { fault } from '../../kernel/faults.ts';
import type { TestbedCall } from '../endpoint.ts';

export interface Representation {
  readonly contentType: string;
  /** With its quotes. Computed from the bytes unless given. */
  readonly etag?: string;
  readonly lastModified?: Date;
  readonly headers?: readonly string[];
}

export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** More parts than this are no reader's wish but an attack on the sender; the whole is sent instead (RFC 9110 §14.2). */
const maxRanges = 50;

/** Bytes with validators: answers preconditions (RFC 9110 §13.2.2) and ranges (§14) with 200, 206, 304, 412 or 416. */
export function rangedAnswer(call: TestbedCall, bytes: Uint8Array, shown: Representation): PlainAnswer {
  const { contentType, lastModified, headers = [] } = shown;
  const etag = shown.etag ?? strongEtag(bytes);
  const validators = ['ETag', etag];
  if (lastModified) validators.push('Last-Modified', lastModified.toUTCString());
  const common = [...validators, 'Accept-Ranges', 'bytes', ...headers];

  const refusal = preconditionStatus(call, etag, lastModified);
  if (refusal === 304) return reply.empty(304, [...validators, ...headers]);
  if (refusal === 412) throw fault('precondition.failed', { etag }, validators);

  const ranges = wantedRanges(call, bytes.length, etag, lastModified);
  if (ranges === undefined) return reply.bytes(bytes, contentType, { headers: common });
  if (ranges.length === 0) {
    return reply.empty(416, ['Content-Range', `bytes */${bytes.length}`, ...common]);
  }
  const [only] = ranges;
  return ranges.length === 1 && only
    ? onePart(bytes, only, contentType, common)
    : severalParts(bytes, ranges, contentType, common);
}

/** A strong validator that changes with every byte. */
function strongEtag(bytes: Uint8Array): string {
  return `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`;
}

/**
 * Parses a Range field against a length: undefined when it is to be ignored (other unit, malformed), an empty list
 * when nothing of it can be satisfied (416).
 */
export function parseByteRanges(header: string, length: number): ByteRange[] | undefined {
  const specifier = /^bytes\s*=(.*)$/i.exec(header.trim())?.[1];
  if (specifier === undefined) return undefined;
  const ranges: ByteRange[] = [];
  for (const piece of specifier.split(',')) {
    const text = piece.trim();
    if (text === '') continue;
    const [, from = '', to = ''] = /^(\d*)-(\d*)$/.exec(text) ?? [];
    if (from === '' && to === '') return undefined;
    const range = from === '' ? suffixRange(Number(to), length) : boundedRange(Number(from), to, length);
    if (range === 'malformed') return undefined;
    if (range) ranges.push(range);
  }
  return ranges;
}

function suffixRange(count: number, length: number): ByteRange | undefined {
  if (count === 0 || length === 0) return undefined;
  return { first: Math.max(length - count, 0), last: length - 1 };
}

function boundedRange(first: number, to: string, length: number): ByteRange | 'malformed' | undefined {
  if (to !== '' && Number(to) < first) return 'malformed';
  if (first >= length) return undefined;
  return { first, last: to === '' ? length - 1 : Math.min(Number(to), length - 1) };
}

function wantedRanges(
  { request }: TestbedCall,
  length: number,
  etag: string,
  lastModified: Date | undefined,
): ByteRange[] | undefined {
  const header = request.headers.get('range');
  // RFC 9110 §14.2: only GET has range handling, so HEAD shows the whole.
  if (header === undefined || request.method !== 'GET') return undefined;
  const condition = request.headers.first('if-range');
  if (condition !== undefined && !isSameRepresentation(condition, etag, lastModified)) return undefined;
  const ranges = parseByteRanges(header, length);
  if (!ranges || ranges.length > maxRanges) return undefined;
  const total = ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  return ranges.length > 1 && total > length ? undefined : ranges;
}

/** If-Range needs strong comparison, and a date exactly as it was sent (RFC 9110 §13.1.5). */
function isSameRepresentation(condition: string, etag: string, lastModified: Date | undefined): boolean {
  if (condition.includes('"')) return condition === etag && !etag.startsWith('W/');
  return lastModified !== undefined && condition === lastModified.toUTCString();
}

function preconditionStatus(
  { request }: TestbedCall,
  etag: string,
  lastModified: Date | undefined,
): 304 | 412 | undefined {
  const { headers, method } = request;
  const isRead = method === 'GET' || method === 'HEAD';
  const ifMatch = headers.get('if-match');
  if (ifMatch !== undefined) {
    if (!listsEtag(ifMatch, etag, 'strong')) return 412;
  } else if (isModifiedSince(headers.first('if-unmodified-since'), lastModified) === true) {
    return 412;
  }
  const ifNoneMatch = headers.get('if-none-match');
  if (ifNoneMatch !== undefined) {
    if (!listsEtag(ifNoneMatch, etag, 'weak')) return undefined;
    return isRead ? 304 : 412;
  }
  const isUnchanged = isModifiedSince(headers.first('if-modified-since'), lastModified) === false;
  return isRead && isUnchanged ? 304 : undefined;
}

/** Whether a list of entity tags, or `*`, names this one (RFC 9110 §8.8.3.2). */
export function listsEtag(list: string, etag: string, comparison: 'strong' | 'weak'): boolean {
  if (list.trim() === '*') return true;
  const listed: readonly string[] = list.match(/(?:W\/)?"[^"]*"/g) ?? [];
  if (comparison === 'strong') return !etag.startsWith('W/') && listed.includes(etag);
  return listed.some((tag) => opaque(tag) === opaque(etag));
}

const opaque = (etag: string) => etag.replace(/^W\//, '');

/** Undefined when there is no date to compare with, or none that can be read. */
function isModifiedSince(header: string | undefined, lastModified: Date | undefined): boolean | undefined {
  const sinceMs = Date.parse(header ?? '');
  if (Number.isNaN(sinceMs) || lastModified === undefined) return undefined;
  // HTTP dates have no parts of a second.
  return Math.floor(lastModified.getTime() / 1000) * 1000 > sinceMs;
}

function onePart(
  bytes: Uint8Array,
  range: ByteRange,
  contentType: string,
  headers: readonly string[],
): PlainAnswer {
  return reply.bytes(slice(bytes, range), contentType, {
    status: 206,
    headers: ['Content-Range', contentRange(range, bytes.length), ...headers],
  });
}

function severalParts(
  bytes: Uint8Array,
  ranges: readonly ByteRange[],
  contentType: string,
  headers: readonly string[],
): PlainAnswer {
  const boundary = boundaryOf(bytes, ranges);
  const pieces: Uint8Array[] = [];
  for (const range of ranges) {
    const head = `\r\n--${boundary}\r\nContent-Type: ${contentType}\r\nContent-Range: ${contentRange(range, bytes.length)}\r\n\r\n`;
    pieces.push(Buffer.from(head, 'latin1'), slice(bytes, range));
  }
  pieces.push(Buffer.from(`\r\n--${boundary}--\r\n`, 'latin1'));
  return reply.bytes(Buffer.concat(pieces), `multipart/byteranges; boundary=${boundary}`, {
    status: 206,
    headers,
  });
}

/** The same request always gets the same bytes, and no content can hold its own digest by accident. */
function boundaryOf(bytes: Uint8Array, ranges: readonly ByteRange[]): string {
  return createHash('sha256').update(bytes).update(JSON.stringify(ranges)).digest('hex').slice(0, 32);
}

const contentRange = ({ first, last }: ByteRange, length: number) => `bytes ${first}-${last}/${length}`;

const slice = (bytes: Uint8Array, { first, last }: ByteRange) => bytes.subarray(first, last + 1);
