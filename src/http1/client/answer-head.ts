import { isFieldValueCode, SPACE } from '../characters.ts';
import { parseFieldLines, refusedLineBreak } from '../field-parser.ts';
import type { Http1Limits } from '../limits.ts';
import { MessageFields } from '../message-fields.ts';
import { InvalidAnswer } from './invalid-answer.ts';

/** The head of an answer as read, before anybody asked what its fields mean. */
export interface AnswerHead {
  readonly version: '1.0' | '1.1';
  readonly status: number;
  readonly reason: string;
  readonly fields: MessageFields;
}

/** Reads the lines that end before `to`: the status line and the fields. Throws a Refusal or an InvalidAnswer. */
export function parseAnswerHead(text: string, to: number, limits: Http1Limits): AnswerHead {
  const { version, status, reason, end } = parseStatusLine(text);
  const fields = new MessageFields();
  parseFieldLines(text, end, to, fields, limits.maxHeaderCount);
  return { version, status, reason, fields };
}

const CR_LF_BYTES = 2;
const VERSION_END = 'HTTP/1.1'.length;
const STATUS_END = 'HTTP/1.1 200'.length;

interface StatusLine {
  readonly version: '1.0' | '1.1';
  readonly status: number;
  readonly reason: string;
  /** Where the next line begins. */
  readonly end: number;
}

/**
 * RFC 9112 §4. The space behind the status may be missing when there is no reason phrase: many servers forget it, and
 * nothing can be read in two ways for that.
 */
export function parseStatusLine(text: string): StatusLine {
  const version = versionOf(text);
  if (text.charCodeAt(VERSION_END) !== SPACE) throw new InvalidAnswer('status-line-invalid');
  const digits = text.slice(VERSION_END + 1, STATUS_END);
  if (!/^[1-9][0-9]{2}$/.test(digits)) throw new InvalidAnswer('status-invalid');

  let at = STATUS_END;
  if (text.charCodeAt(at) === SPACE) at++;
  else if (isFieldValueCode[text.charCodeAt(at)] === 1) throw new InvalidAnswer('status-invalid');
  const reasonStart = at;
  while (isFieldValueCode[text.charCodeAt(at)] === 1) at++;
  if (!text.startsWith('\r\n', at))
    throw refusedLineBreak(text, at) ?? new InvalidAnswer('status-line-invalid');
  return { version, status: Number(digits), reason: text.slice(reasonStart, at), end: at + CR_LF_BYTES };
}

function versionOf(text: string): '1.0' | '1.1' {
  if (text.startsWith('HTTP/1.1')) return '1.1';
  if (text.startsWith('HTTP/1.0')) return '1.0';
  const isVersion = /^HTTP\/[0-9]\.[0-9]/.test(text);
  throw new InvalidAnswer(isVersion ? 'version-unsupported' : 'status-line-invalid');
}
