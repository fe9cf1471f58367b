import { isFieldValue, isToken } from './characters.ts';
import { flatText } from './flat-text.ts';
import type { HeaderPairs } from './header-list.ts';
import { listMembers } from './message-fields.ts';
import { STATUS_CODES } from './status-codes.ts';

/** What of the request and the connection decides how an answer is framed. */
export interface AnswerContext {
  readonly method: string;
  readonly version: '1.0' | '1.1';
  /** False when the connection closes after this answer whatever the answer says. */
  readonly mayStayOpen: boolean;
  readonly nowMs: number;
}

export interface AnswerHead {
  /** Latin-1, with the empty line. */
  readonly text: string;
  readonly framing: 'none' | 'length' | 'chunked' | 'close';
  /** Length of the content on the wire, when declared. */
  readonly length: number | undefined;
  readonly closes: boolean;
}

/**
 * Renders the head of a final answer. The fields are written as given; Date, Connection and what frames the body are
 * added where they are needed and not given. Fields that would split the answer are an error of the caller.
 */
export function composeAnswerHead(
  status: number,
  reason: string | undefined,
  headers: HeaderPairs,
  bodyLength: number | undefined,
  { method, version, mayStayOpen, nowMs }: AnswerContext,
): AnswerHead {
  const isTunnel = method === 'CONNECT' && status >= 200 && status < 300;
  const forbidsFraming = status === 204 || isTunnel;
  const given = new GivenFields(headers, forbidsFraming, version === '1.0');
  const hasNoContent = forbidsFraming || status === 205 || status === 304 || method === 'HEAD';

  let { lines } = given;
  let framing: AnswerHead['framing'];
  let length: number | undefined;
  if (forbidsFraming) {
    framing = 'none';
  } else if (given.isChunked) {
    framing = 'chunked';
  } else if (given.contentLength !== undefined) {
    framing = 'length';
    length = given.contentLength;
  } else if (status === 304) {
    framing = 'none';
  } else if (bodyLength !== undefined || status === 205) {
    framing = 'length';
    length = status === 205 ? 0 : bodyLength;
    lines += contentLengthLine(length!);
  } else if (version === '1.0') {
    framing = 'close';
  } else {
    framing = 'chunked';
    lines += 'Transfer-Encoding: chunked\r\n';
  }
  if (hasNoContent) framing = 'none';

  // A HEAD answer without a length is whole as it is; everything else that lacks one lasts until the close.
  const closes = !mayStayOpen || given.saysClose || framing === 'close' || isTunnel;
  if (closes) {
    if (!given.saysClose && !isTunnel) lines += 'Connection: close\r\n';
  } else if (version === '1.0' && !given.hasConnection) {
    lines += 'Connection: keep-alive\r\n';
  }
  if (!given.hasDate) lines += dateLine(nowMs);
  return { text: `${statusLine(status, reason)}${lines}\r\n`, framing, length, closes };
}

/** An interim answer: no framing, no Date. */
export function composeInterimHead(status: number, headers: HeaderPairs): string {
  return `${statusLine(status, undefined)}${new GivenFields(headers, true, false).lines}\r\n`;
}

/** Trailer lines with the empty line that ends them. */
export function composeTrailers(trailers: HeaderPairs): string {
  const given = new GivenFields(trailers, false, false);
  if (given.isChunked || given.contentLength !== undefined)
    throw new Error('a trailer may not frame the message');
  return `${given.lines}\r\n`;
}

/** The caller's fields: rendered, checked, and what they already say. */
class GivenFields {
  lines = '';
  contentLength: number | undefined = undefined;
  isChunked = false;
  hasConnection = false;
  saysClose = false;
  hasDate = false;

  constructor(pairs: HeaderPairs, forbidsFraming: boolean, isHttp10: boolean) {
    for (let index = 0; index < pairs.length; index += 2) {
      const name = pairs[index]!;
      const value = pairs[index + 1]!;
      const line = fieldLine(name, value);
      const isDropped = this.#note(name, value, forbidsFraming, isHttp10);
      if (!isDropped) this.lines += line;
    }
    if (this.isChunked && this.contentLength !== undefined) {
      throw new Error('an answer has either a Content-Length or a Transfer-Encoding');
    }
  }

  /** True for a framing field that may not be sent: with a 204 (RFC 9110 §8.6), or to HTTP/1.0 (RFC 9112 §6.1). */
  #note(name: string, value: string, forbidsFraming: boolean, isHttp10: boolean): boolean {
    switch (name.length) {
      case 4:
        this.hasDate ||= name.toLowerCase() === 'date';
        return false;
      case 10:
        if (name.toLowerCase() === 'connection') {
          this.hasConnection = true;
          this.saysClose ||= listMembers(value).includes('close');
        }
        return false;
      case 14:
        if (name.toLowerCase() !== 'content-length') return false;
        if (forbidsFraming) return true;
        if (!/^[0-9]{1,15}$/.test(value) || this.contentLength !== undefined)
          throw new InvalidHeader(name, value);
        this.contentLength = Number(value);
        return false;
      case 17:
        if (name.toLowerCase() !== 'transfer-encoding') return false;
        if (forbidsFraming || isHttp10) return true;
        if (listMembers(value).at(-1) !== 'chunked') throw new InvalidHeader(name, value);
        this.isChunked = true;
        return false;
      default:
        return false;
    }
  }
}

interface RenderedLine {
  value: string;
  line: string;
  /** A line in one piece is worth its copy once it is used again. */
  isFlat: boolean;
}

const MAX_KNOWN_NAMES = 500;
const MAX_KEPT_VALUE_LENGTH = 256;
const lastLines = new Map<string, RenderedLine>();

/**
 * Answers use few names over and over, most of them with the same value: a name is looked through once, and the line
 * that was rendered last is kept for the next answer.
 */
function fieldLine(name: string, value: string): string {
  const last = lastLines.get(name);
  if (last !== undefined && last.value === value) {
    if (!last.isFlat) {
      last.line = flatText(last.line);
      last.isFlat = true;
    }
    return last.line;
  }
  if ((last === undefined && !isToken(name)) || !isFieldValue(value)) throw new InvalidHeader(name, value);
  const line = `${name}: ${value}\r\n`;
  if (value.length > MAX_KEPT_VALUE_LENGTH) return line;
  if (last !== undefined) {
    last.value = value;
    last.line = line;
    last.isFlat = false;
  } else if (lastLines.size < MAX_KNOWN_NAMES) {
    lastLines.set(name, { value, line, isFlat: false });
  }
  return line;
}

/** A field that cannot be sent as it is. */
class InvalidHeader extends Error {
  constructor(name: string, value: string) {
    super(`the answer field ${JSON.stringify(name)} cannot be sent with the value ${JSON.stringify(value)}`);
    this.name = 'InvalidHeader';
  }
}

const usualStatusLines = new Map(
  Object.entries(STATUS_CODES).map(([status, reason]) => [
    Number(status),
    flatText(`HTTP/1.1 ${status} ${reason}\r\n`),
  ]),
);

function statusLine(status: number, reason: string | undefined): string {
  if (reason === undefined) {
    const usual = usualStatusLines.get(status);
    if (usual !== undefined) return usual;
  }
  if (!Number.isInteger(status) || status < 100 || status > 999)
    throw new RangeError(`${status} is no status`);
  if (reason !== undefined && !isFieldValue(reason)) throw new InvalidHeader('reason', reason);
  return `HTTP/1.1 ${status} ${reason ?? ''}\r\n`;
}

const MAX_KEPT_LENGTH = 4096;
const contentLengthLines: string[] = [];

function contentLengthLine(length: number): string {
  if (length >= MAX_KEPT_LENGTH) return `Content-Length: ${length}\r\n`;
  contentLengthLines[length] ??= flatText(`Content-Length: ${length}\r\n`);
  return contentLengthLines[length];
}

let dateSecond = -1;
let renderedDate = '';

/** The Date line of a second is rendered once. */
function dateLine(nowMs: number): string {
  const second = Math.floor(nowMs / 1000);
  if (second !== dateSecond) {
    renderedDate = flatText(`Date: ${new Date(second * 1000).toUTCString()}\r\n`);
    dateSecond = second;
  }
  return renderedDate;
}
