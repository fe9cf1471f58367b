import { isIP, isIPv6 } from 'node:net';
import { isFieldValue, isTargetCode, isToken } from '../characters.ts';
import { listMembers, MessageFields } from '../message-fields.ts';
import { ClientFailure } from './client-failure.ts';
import type { ClientBody, ClientOrigin, ClientRequest } from './client-request.ts';

/** A request as it is written. */
export interface ComposedRequest {
  /** Latin-1, with the empty line. */
  readonly head: string;
  readonly parts: readonly Uint8Array[];
  readonly stream: AsyncIterable<Uint8Array> | undefined;
  /** Of the stream, when it is not sent in chunks. */
  readonly streamLength: number | undefined;
  /** The answer has no body whatever its fields say (RFC 9112 §6.3). */
  readonly isHeadRequest: boolean;
  /** The request itself asks for the close. */
  readonly closes: boolean;
}

const NO_PARTS: readonly Uint8Array[] = [];

/** Checks and renders a request. What could split or smuggle is refused before anybody is contacted. */
export function composeRequest(request: ClientRequest): ComposedRequest {
  const { method, headers, body } = request;
  checkRequestLine(request);
  const fields = new MessageFields();
  let lines = '';
  if (headers.length % 2 !== 0) throw invalid('a header without a value');
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index]!;
    const value = headers[index + 1]!;
    if (!isToken(name)) throw invalid('a header name is no token');
    if (!isFieldValue(value)) throw invalid(`the value of ${name} holds a character that may not be sent`);
    fields.add(name, value);
    lines += `${name}: ${value}\r\n`;
  }
  checkFields(fields);

  const parts = partsOf(body);
  const stream = parts === undefined ? (body as AsyncIterable<Uint8Array>) : undefined;
  const length = parts === undefined ? undefined : byteLengthOf(parts);
  const { contentLength } = fields;
  if (contentLength === undefined) lines += framingLine(method, body, length);
  else checkLength(contentLength, length);

  const host = fields.host === undefined ? `Host: ${authorityOf(request.origin)}\r\n` : '';
  return {
    head: `${method} ${request.target} HTTP/1.1\r\n${host}${lines}\r\n`,
    parts: parts ?? NO_PARTS,
    stream,
    streamLength: stream && contentLength !== undefined ? Number(contentLength) : undefined,
    isHeadRequest: method === 'HEAD',
    closes: fields.connection !== undefined && listMembers(fields.connection).includes('close'),
  };
}

function checkRequestLine({ method, target, origin }: ClientRequest): void {
  if (!isToken(method) || method === 'CONNECT') throw invalid('the method');
  const isOriginForm = target.startsWith('/') || (target === '*' && method === 'OPTIONS');
  if (!isOriginForm) throw invalid('the target is not in origin-form');
  for (let at = 0; at < target.length; at++) {
    if (isTargetCode[target.charCodeAt(at)] !== 1)
      throw invalid('the target holds a character that may not be sent');
  }
  checkOrigin(origin);
}

// Of RFC 3986 §3.2.2 without percent-encoding, which no resolver understands.
const REGISTERED_NAME = /^[A-Za-z0-9._~!$&'()*+,;=-]{1,253}$/;

function checkOrigin({ protocol, host, port }: ClientOrigin): void {
  if (protocol !== 'http:' && protocol !== 'https:') throw invalid('the protocol');
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw invalid('the port');
  if (!REGISTERED_NAME.test(host) && isIP(host) === 0) throw invalid('the host');
}

function checkFields(fields: MessageFields): void {
  if (fields.transferEncoding !== undefined) throw invalid('Transfer-Encoding is set by the client itself');
  // Nobody here waits for a 100 before the body is sent.
  if (fields.expect !== undefined) throw invalid('Expect is not supported');
  if (fields.hostCount > 1) throw invalid('more than one Host');
  if (fields.contentLengthCount > 1) throw invalid('more than one Content-Length');
}

function checkLength(contentLength: string, length: number | undefined): void {
  const isNumber = /^[0-9]{1,15}$/.test(contentLength);
  if (!isNumber || (length !== undefined && Number(contentLength) !== length)) {
    throw invalid('Content-Length is not the length of the body');
  }
}

/** RFC 9110 §8.6: a request whose method expects content says so even when there is none. */
function framingLine(method: string, body: ClientBody | undefined, length: number | undefined): string {
  if (length === undefined) return 'Transfer-Encoding: chunked\r\n';
  const expectsContent = method === 'POST' || method === 'PUT' || method === 'PATCH';
  return body === undefined && !expectsContent ? '' : `Content-Length: ${length}\r\n`;
}

/** Undefined for a stream. */
function partsOf(body: ClientBody | undefined): readonly Uint8Array[] | undefined {
  if (body === undefined) return NO_PARTS;
  if (body instanceof Uint8Array) return body.length === 0 ? NO_PARTS : [body];
  return Array.isArray(body) ? (body as readonly Uint8Array[]) : undefined;
}

function byteLengthOf(parts: readonly Uint8Array[]): number {
  let length = 0;
  for (const part of parts) length += part.length;
  return length;
}

function authorityOf({ protocol, host, port }: ClientOrigin): string {
  // The zone of a scoped address means something on this machine only (RFC 6874 §1).
  const shownHost = isIPv6(host) ? `[${host.split('%')[0]}]` : host;
  const isUsualPort = port === (protocol === 'https:' ? 443 : 80);
  return isUsualPort ? shownHost : `${shownHost}:${port}`;
}

function invalid(detail: string): ClientFailure {
  return new ClientFailure('request-invalid', { phase: 'acquire', isRequestSent: false, detail });
}
