import type { RefusalKey } from '../../refusals.ts';
import type { ClientFailureReason } from '../client-failure.ts';
import type { ClientPoolOptions } from '../client-options.ts';
import type { AnswerFlaw } from '../invalid-answer.ts';

/** What a target answers to one request, and what has to come of it. Text is Latin-1: one character is one byte. */
export interface AnswerCase {
  readonly name: string;
  /** Where the rule stands. */
  readonly rfc: string;
  readonly bytes: string;
  readonly expect: SeenAnswer | SeenFailure;
  /** GET unless given. */
  readonly method?: string;
  /** The target closes behind the bytes. */
  readonly closesBehind?: boolean;
  readonly limits?: Pick<ClientPoolOptions, 'maxHeadBytes' | 'maxHeaderCount'>;
}

export interface SeenAnswer {
  readonly status: number;
  readonly body: string;
  readonly trailers: readonly string[];
  readonly mayBeReused: boolean;
  /** Compared when given. */
  readonly reason?: string;
  readonly version?: '1.0' | '1.1';
  readonly headers?: readonly string[];
}

export interface SeenFailure {
  readonly failure: ClientFailureReason;
  readonly detail?: RefusalKey | AnswerFlaw;
}

type Circumstances = Pick<AnswerCase, 'method' | 'closesBehind' | 'limits'>;

const usual: SeenAnswer = { status: 200, body: '', trailers: [], mayBeReused: true };

/** What is not said of the answer is as in a 200 without content that keeps the connection. */
export function accept(
  name: string,
  rfc: string,
  bytes: string,
  seen: Partial<SeenAnswer> = {},
  circumstances: Circumstances = {},
): AnswerCase {
  return { name, rfc, bytes, expect: { ...usual, ...seen }, ...circumstances };
}

/** The answer is no valid HTTP/1.1. */
export function refuse(
  name: string,
  rfc: string,
  bytes: string,
  detail: RefusalKey | AnswerFlaw,
  circumstances: Circumstances = {},
): AnswerCase {
  return { name, rfc, bytes, expect: { failure: 'answer-invalid', detail }, ...circumstances };
}

/** The target closes before its answer is complete. */
export function cutOff(name: string, rfc: string, bytes: string): AnswerCase {
  return { name, rfc, bytes, expect: { failure: 'connection-closed' }, closesBehind: true };
}

/** A whole head of a 200 with these fields. */
export function head(...fields: string[]): string {
  return `${['HTTP/1.1 200 OK', ...fields].join('\r\n')}\r\n\r\n`;
}

/** A whole head of this status line without content. */
export function line(statusLine: string): string {
  return `${statusLine}\r\nContent-Length: 0\r\n\r\n`;
}
