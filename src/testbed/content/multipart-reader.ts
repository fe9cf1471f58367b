import { isUtf8 } from 'node:buffer';
import type { HeaderPairs } from '../../http1/header-list.ts';
import { fault } from '../../kernel/faults.ts';
import { contentTypeOf } from './charsets.ts';

/** One part of a multipart body (RFC 2046 §5.1). */
export interface BodyPart {
  /** Name, value, name, value, … as they came, folded lines joined. */
  readonly headers: HeaderPairs;
  readonly content: Buffer;
}

export interface MultipartLimits {
  readonly maxParts: number;
}

const MAX_PART_HEADER_BYTES = 16 * 1024;
const CRLF = Buffer.from('\r\n');
const EMPTY_LINE = Buffer.from('\r\n\r\n');

/** The boundary a Content-Type names; anything but multipart is answered by 415, multipart without one by 400. */
export function boundaryOf(contentType: string | undefined): string {
  const { type, params } = contentTypeOf(contentType);
  if (!type?.startsWith('multipart/')) {
    throw fault('body.unsupported-type', { type: contentType ?? '(none)', accepted: 'multipart/*' });
  }
  const boundary = params.get('boundary') ?? '';
  if (boundary === '') throw malformed('Content-Type names no boundary');
  if (boundary.length > 70) throw malformed('the boundary is longer than 70 characters');
  return boundary;
}

/** The parts of any multipart body in their order. What stands before the first and after the last is left out. */
export function readMultipart(bytes: Buffer, boundary: string, { maxParts }: MultipartLimits): BodyPart[] {
  const parts: BodyPart[] = [];
  let delimiter = delimiterFrom(bytes, boundary, 0);
  if (!delimiter) throw malformed('the boundary does not occur in the body');
  while (!delimiter.isLast) {
    const next = delimiterFrom(bytes, boundary, delimiter.end);
    if (!next) throw malformed('the closing boundary is missing');
    if (parts.length === maxParts) throw fault('form.too-many-parts', { maxParts, kind: 'parts' });
    parts.push(readPart(bytes.subarray(delimiter.end, Math.max(next.start, delimiter.end))));
    delimiter = next;
  }
  return parts;
}

interface Delimiter {
  /** Where the part before it ends; the line break before the dashes belongs to the delimiter. */
  readonly start: number;
  /** Where the part after it begins. */
  readonly end: number;
  readonly isLast: boolean;
}

/** The next line that is nothing but the boundary; dashes and text elsewhere in a line are content. */
function delimiterFrom(bytes: Buffer, boundary: string, from: number): Delimiter | undefined {
  const dashed = Buffer.from(`--${boundary}`, 'latin1');
  for (let at = bytes.indexOf(dashed, from); at >= 0; at = bytes.indexOf(dashed, at + 1)) {
    // The line break before the very first boundary, and that of an empty part, was read already.
    const isLineStart = at === from || (at >= 2 && bytes.compare(CRLF, 0, 2, at - 2, at) === 0);
    const line = isLineStart ? lineEnd(bytes, at + dashed.length) : undefined;
    if (line) return { start: at - 2, ...line };
  }
  return undefined;
}

/** What follows the boundary in its line: two dashes for the last, then blanks only. */
function lineEnd(bytes: Buffer, from: number): { end: number; isLast: boolean } | undefined {
  const isLast = bytes[from] === 0x2d && bytes[from + 1] === 0x2d;
  let at = isLast ? from + 2 : from;
  while (bytes[at] === 0x20 || bytes[at] === 0x09) at++;
  if (bytes[at] === 0x0d && bytes[at + 1] === 0x0a) return { end: at + 2, isLast };
  return isLast && at === bytes.length ? { end: at, isLast } : undefined;
}

function readPart(part: Buffer): BodyPart {
  if (part.length === 0) return { headers: [], content: part };
  if (part.subarray(0, 2).equals(CRLF)) return { headers: [], content: part.subarray(2) };
  const emptyLineAt = part.indexOf(EMPTY_LINE);
  const headerEnd = emptyLineAt < 0 ? part.length : emptyLineAt;
  if (headerEnd > MAX_PART_HEADER_BYTES) {
    throw malformed(`the header of a part is longer than ${MAX_PART_HEADER_BYTES} bytes`);
  }
  const content = emptyLineAt < 0 ? Buffer.alloc(0) : part.subarray(emptyLineAt + EMPTY_LINE.length);
  return { headers: readHeaders(part.subarray(0, headerEnd)), content };
}

/** Part headers may hold UTF-8 (RFC 7578 §5.1); what is none is shown one character per byte. */
function readHeaders(block: Buffer): string[] {
  const text = block.toString(isUtf8(block) ? 'utf8' : 'latin1');
  const unfolded = text.replace(/\r\n[ \t]+/g, ' ');
  const headers: string[] = [];
  for (const line of unfolded.split('\r\n')) {
    if (line === '') continue;
    const colonAt = line.indexOf(':');
    if (colonAt <= 0) throw malformed('a header line of a part has no name');
    headers.push(line.slice(0, colonAt).trim(), line.slice(colonAt + 1).trim());
  }
  return headers;
}

function malformed(reason: string) {
  return fault('form.malformed', { reason });
}
