import type { ClientAnswer } from '../http1/client/client-answer.ts';
import type { ClientFailure, ClientFailureReason } from '../http1/client/client-failure.ts';
import { affinityCookie } from './event-collector/affinity-cookie.ts';
import { type CollectorAnswer, readCollectorAnswer } from './event-collector/collector-answer.ts';
import { retryAfterMs } from './retry-after.ts';

/** What an attempt tells the circuit breaker about the target. */
type Bearing = 'works' | 'fails' | 'unknown';

/** What is to be done with a batch after an attempt. */
export type Verdict = { readonly bearing: Bearing } & (
  | { readonly kind: 'delivered' }
  /** A collector has taken it; whether it is indexed nobody knows. */
  | { readonly kind: 'queued'; readonly isAckMissing: boolean }
  | { readonly kind: 'await-ack'; readonly ackId: string; readonly cookie: string }
  | { readonly kind: 'retry'; readonly reason: string; readonly askedMs?: number | undefined }
  | { readonly kind: 'permanent'; readonly reason: string }
  /** Too much at once, or something in it is bad and nobody knows what. */
  | { readonly kind: 'halve'; readonly reason: string }
  /** Exactly one event is known to be bad. */
  | { readonly kind: 'isolate'; readonly reason: string; readonly badIndex: number }
);

export interface Circumstances {
  /** How many events were sent. */
  readonly eventCount: number;
  /** The call may be made again although the target may have acted on it. */
  readonly mayRepeat: boolean;
  readonly isCollector: boolean;
  readonly usesAck: boolean;
  readonly nowMs: number;
}

/** Statuses after which trying again can help. */
const PASSING_STATUSES = new Set([408, 425, 429, 500, 502, 503, 504, 507, 509, 520, 521, 522, 523, 524, 529]);
/** By convention the server has not acted on the request: it may be sent again whatever its method. */
const NOT_PROCESSED_STATUSES = new Set([408, 425, 429]);
/** Of a collector: busy, unhealthy, shutting down. */
const NOT_TAKEN_CODES = new Set([9, 18, 19, 20, 23]);
/**
 * Of a collector: the request as a whole is wrong (no data, index, channel, authorization in the query). It may name
 * an event all the same, but what is wrong stands in all of them.
 */
const WHOLE_REQUEST_CODES = new Set([5, 7, 10, 11, 14, 16, 21, 22]);

/** The request itself or our own settings are at fault: no attempt can end otherwise. */
const HOPELESS_REASONS = new Set<ClientFailureReason>([
  'request-invalid',
  'address-refused',
  'tls-settings-invalid',
]);
/** Our own limits, not the target. */
const OWN_REASONS = new Set<ClientFailureReason>(['acquire-timeout', 'queue-full', 'pool-closed', 'aborted']);

export function classifyFailure(failure: ClientFailure, { mayRepeat }: Circumstances): Verdict {
  const { reason } = failure;
  if (HOPELESS_REASONS.has(reason)) return { kind: 'permanent', reason, bearing: 'unknown' };
  const bearing = OWN_REASONS.has(reason) ? 'unknown' : 'fails';
  return failure.isRequestSent && !mayRepeat
    ? { kind: 'permanent', reason, bearing }
    : { kind: 'retry', reason, bearing };
}

export function classifyAnswer(answer: ClientAnswer, circumstances: Circumstances): Verdict {
  const { status } = answer;
  const collector = circumstances.isCollector ? readCollectorAnswer(answer.body) : undefined;
  if (status >= 200 && status < 300) return classifySuccess(answer, collector, circumstances);
  const reason = `status-${status}`;
  const bearing = isCountedStatus(status) ? 'fails' : 'works';
  if (PASSING_STATUSES.has(status)) {
    const askedMs = askedDelayMs(answer, circumstances.nowMs);
    const isSafe = circumstances.mayRepeat || isNotProcessed(status, askedMs, collector);
    return isSafe ? { kind: 'retry', reason, askedMs, bearing } : { kind: 'permanent', reason, bearing };
  }
  return classifyRefusal(status, reason, collector, circumstances, bearing);
}

function classifySuccess(
  answer: ClientAnswer,
  collector: CollectorAnswer | undefined,
  { usesAck }: Circumstances,
): Verdict {
  const bearing = 'works';
  if (!collector) return { kind: 'delivered', bearing };
  if (!usesAck) return { kind: 'queued', isAckMissing: false, bearing };
  if (collector.ackId === undefined) return { kind: 'queued', isAckMissing: true, bearing };
  return { kind: 'await-ack', ackId: collector.ackId, cookie: affinityCookie(answer.headers), bearing };
}

/** Answers that stay the same however often one asks; a batch may still hold events that are welcome. */
function classifyRefusal(
  status: number,
  reason: string,
  collector: CollectorAnswer | undefined,
  { eventCount }: Circumstances,
  bearing: Bearing,
): Verdict {
  const isDivisible = eventCount > 1;
  if (status === 413 && isDivisible) return { kind: 'halve', reason, bearing };
  if (status !== 400 || !isDivisible) return { kind: 'permanent', reason, bearing };
  if (collector?.code !== undefined && WHOLE_REQUEST_CODES.has(collector.code))
    return { kind: 'permanent', reason, bearing };
  const badIndex = collector?.invalidEventNumber;
  if (badIndex !== undefined && badIndex < eventCount) return { kind: 'isolate', reason, badIndex, bearing };
  return { kind: 'halve', reason, bearing };
}

/** Only what speaks against the target counts, not what speaks against the request. */
function isCountedStatus(status: number): boolean {
  return status >= 500 || status === 429 || status === 401 || status === 403;
}

function isNotProcessed(
  status: number,
  askedMs: number | undefined,
  collector: CollectorAnswer | undefined,
): boolean {
  if (NOT_PROCESSED_STATUSES.has(status)) return true;
  if (status !== 503) return false;
  return askedMs !== undefined || NOT_TAKEN_CODES.has(collector?.code ?? -1);
}

/** Retry-After is honoured for 429 and 503 alone (spec 2 §2.3). */
function askedDelayMs({ status, headers }: ClientAnswer, nowMs: number): number | undefined {
  if (status !== 429 && status !== 503) return undefined;
  return retryAfterMs(headers.all('retry-after'), headers.first('date'), nowMs);
}
