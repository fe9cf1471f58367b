import type { ParsedHead } from './head-parser.ts';
import { listMembers, type MessageFields } from './message-fields.ts';
import { Refusal } from './refusals.ts';

/** How long the body of a message is. */
export type BodyFraming =
  | { readonly kind: 'none' }
  | { readonly kind: 'chunked' }
  | { readonly kind: 'length'; readonly length: number };

export const NO_BODY: BodyFraming = { kind: 'none' };
const CHUNKED_BODY: BodyFraming = { kind: 'chunked' };

/** What a request head says about its body and its connection. */
export interface HeadMeaning {
  readonly framing: BodyFraming;
  /** The client waits for a 100 before it sends the body. */
  readonly expectsContinue: boolean;
  readonly wantsKeepAlive: boolean;
}

export function meaningOf(head: ParsedHead, isLenient: boolean): HeadMeaning {
  return {
    framing: isLenient ? lenientFramingOf(head) : framingOf(head),
    expectsContinue: expectsContinue(head, isLenient),
    wantsKeepAlive: wantsKeepAlive(head.version, head.fields),
  };
}

/** RFC 9112 §6.3 for requests. Where the RFC leaves a choice between repairing and refusing, this refuses. */
function framingOf({ version, fields }: ParsedHead): BodyFraming {
  const { transferEncoding, contentLength } = fields;
  if (transferEncoding !== undefined) {
    if (contentLength !== undefined) throw new Refusal('transfer-encoding-with-content-length');
    if (version === '1.0') throw new Refusal('transfer-encoding-in-http10');
    checkTransferEncoding(transferEncoding);
    return CHUNKED_BODY;
  }
  if (contentLength === undefined) return NO_BODY;
  if (fields.contentLengthCount > 1) throw new Refusal('duplicate-content-length');
  return { kind: 'length', length: lengthOf(contentLength) };
}

export function checkTransferEncoding(value: string): void {
  if (value === 'chunked') return;
  const codings = listMembers(value);
  if (codings.length === 0) throw new Refusal('transfer-encoding-invalid');
  if (codings.at(-1) !== 'chunked') throw new Refusal('transfer-encoding-not-final-chunked');
  if (codings.indexOf('chunked') < codings.length - 1)
    throw new Refusal('transfer-encoding-repeated-chunked');
  if (codings.length > 1) throw new Refusal('transfer-encoding-unsupported');
  // `, chunked` is a list of one, but nobody sends it in good faith.
  if (value.includes(',')) throw new Refusal('transfer-encoding-invalid');
}

export function lengthOf(value: string): number {
  if (/^[0-9]+$/.test(value)) {
    const length = Number(value);
    if (Number.isSafeInteger(length)) return length;
  }
  const isList = /^[0-9]+(?:[ \t]*,[ \t]*[0-9]+)+$/.test(value);
  throw new Refusal(isList ? 'duplicate-content-length' : 'content-length-invalid');
}

/** The lenient mode's reading; its rules stand at `parseHeadLeniently`. */
function lenientFramingOf({ fields }: ParsedHead): BodyFraming {
  if (fields.transferEncoding?.toLowerCase().includes('chunked')) return CHUNKED_BODY;
  if (fields.contentLength === undefined) return NO_BODY;
  const digits = /^[ \t]*[+-]?([0-9]{1,15})/.exec(fields.contentLength)?.[1] ?? '0';
  return { kind: 'length', length: Number(digits) };
}

/** Whether the sender of a message wants the connection kept, RFC 9112 §9.3. */
export function wantsKeepAlive(version: '1.0' | '1.1', fields: MessageFields): boolean {
  const { connection } = fields;
  if (connection === undefined) return version === '1.1';
  if (connection === 'keep-alive') return true;
  const options = listMembers(connection);
  if (options.includes('close')) return false;
  return version === '1.1' || options.includes('keep-alive');
}

/** Whether a 100 (Continue) is awaited. Other expectations are refused; HTTP/1.0 has none (RFC 9110 §10.1.1). */
function expectsContinue({ version, fields }: ParsedHead, isLenient: boolean): boolean {
  if (fields.expect === undefined || version === '1.0') return false;
  const members = listMembers(fields.expect);
  const hasOthers = members.some((member) => member !== '100-continue');
  if (hasOthers && !isLenient) throw new Refusal('expectation-failed');
  return members.includes('100-continue');
}
