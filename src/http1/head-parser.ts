import { parseFieldLines } from './field-parser.ts';
import type { Http1Limits } from './limits.ts';
import { MessageFields } from './message-fields.ts';
import { Refusal } from './refusals.ts';
import { parseRequestLine } from './request-line.ts';

/** A request head as read, before anybody asked what its fields mean. */
export interface ParsedHead {
  readonly method: string;
  readonly target: string;
  readonly version: '1.0' | '1.1';
  readonly fields: MessageFields;
}

/** Reads a whole head, from its request line to its empty line, as RFC 9112 writes it and in no other way. */
export function parseHead(text: string, limits: Http1Limits): ParsedHead {
  const head = parseHeadLines(text, text.length - 2, limits);
  checkHost(head.version, head.fields);
  return head;
}

/** Reads the lines that end before `to`. */
export function parseHeadLines(text: string, to: number, limits: Http1Limits): ParsedHead {
  const { method, target, version, end } = parseRequestLine(text, limits);
  const fields = new MessageFields();
  parseFieldLines(text, end, to, fields, limits.maxHeaderCount);
  return { method, target, version, fields };
}

// RFC 3986 §3.2.2 and §3.2.3; an empty host stands for a target without an authority.
const HOST =
  /^(?:\[(?:[0-9A-Fa-f:.]+|[vV][0-9A-Fa-f]+\.[A-Za-z0-9\-._~!$&'()*+,;=:]+)\]|(?:[A-Za-z0-9\-._~!$&'()*+,;=]|%[0-9A-Fa-f]{2})*)(?::[0-9]*)?$/;

/** Clients of one service name one host: what was found valid last is not looked through again. */
let lastValidHost = '';

function checkHost(version: string, fields: MessageFields): void {
  if (fields.hostCount === 0) {
    if (version === '1.0') return;
    throw new Refusal('host-missing');
  }
  if (fields.hostCount > 1) throw new Refusal('host-repeated');
  const host = fields.host!;
  if (host === lastValidHost) return;
  if (!HOST.test(host)) throw new Refusal('host-invalid');
  lastValidHost = host;
}
