import { type BodyFraming, checkTransferEncoding, lengthOf, NO_BODY, wantsKeepAlive } from '../framing.ts';
import { listMembers, type MessageFields } from '../message-fields.ts';
import { Refusal } from '../refusals.ts';
import type { AnswerHead } from './answer-head.ts';

/** How long the body of an answer is; some last until the connection is closed. */
export type AnswerFraming = BodyFraming | { readonly kind: 'close' };

const UNTIL_CLOSE: AnswerFraming = { kind: 'close' };
const CHUNKED: AnswerFraming = { kind: 'chunked' };

/** What the head of a final answer says about its body and its connection. */
export interface AnswerMeaning {
  readonly framing: AnswerFraming;
  readonly mayBeReused: boolean;
}

export function meaningOfAnswer(head: AnswerHead, isHeadRequest: boolean): AnswerMeaning {
  const { version, status, fields } = head;
  const staysOpen = wantsKeepAlive(version, fields);
  if (isHeadRequest || status === 304) return { framing: NO_BODY, mayBeReused: staysOpen };
  if (status === 204) {
    // RFC 9110 §8.6, RFC 9112 §6.1: it may not have such a field. Whoever sends one may send a body as well.
    const isFramed = fields.contentLength !== undefined || fields.transferEncoding !== undefined;
    return { framing: NO_BODY, mayBeReused: staysOpen && !isFramed };
  }
  const framing = framingOf(head);
  return { framing, mayBeReused: staysOpen && framing.kind !== 'close' };
}

/** RFC 9112 §6.3 for answers. Where the RFC leaves a choice between repairing and refusing, this refuses. */
function framingOf({ version, fields }: AnswerHead): AnswerFraming {
  const { transferEncoding, contentLength } = fields;
  if (transferEncoding !== undefined) {
    if (contentLength !== undefined) throw new Refusal('transfer-encoding-with-content-length');
    if (version === '1.0') throw new Refusal('transfer-encoding-in-http10');
    checkTransferEncoding(transferEncoding);
    return CHUNKED;
  }
  if (contentLength === undefined) return UNTIL_CLOSE;
  return { kind: 'length', length: lengthOf(singleLength(contentLength, fields)) };
}

/** The same length said several times is one length; this is the one repair that the RFC offers and many need. */
function singleLength(first: string, fields: MessageFields): string {
  if (fields.contentLengthCount === 1 && !first.includes(',')) return first;
  const said = new Set<string>();
  for (let index = 0; index < fields.pairs.length; index += 2) {
    if (fields.pairs[index]!.toLowerCase() !== 'content-length') continue;
    const members = listMembers(fields.pairs[index + 1]!);
    if (members.length === 0) throw new Refusal('content-length-invalid');
    for (const member of members) said.add(member);
  }
  if (said.size > 1) throw new Refusal('duplicate-content-length');
  return [...said][0]!;
}

/** For how many seconds the target keeps the connection without a request, when it says so (`Keep-Alive: timeout=5`). */
export function keepAliveHint({ pairs }: MessageFields): number | undefined {
  for (let index = 0; index < pairs.length; index += 2) {
    const name = pairs[index]!;
    if (name.length !== 10 || name.toLowerCase() !== 'keep-alive') continue;
    const seconds = /(?:^|[,;\s])timeout\s*=\s*"?([0-9]{1,9})(?![0-9])/i.exec(pairs[index + 1]!)?.[1];
    if (seconds !== undefined) return Number(seconds);
  }
  return undefined;
}
