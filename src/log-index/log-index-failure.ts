import { ClientFailure } from '../http1/client/client-failure.ts';

/** What went wrong, as a caller decides by it. */
export type FailureKind =
  /** Nobody answers at the address. */
  | 'unreachable'
  /** The certificate is not to be trusted, or the other side speaks no TLS. */
  | 'untrusted'
  /** The connection was lost before the answer: whether the call took effect is not known. */
  | 'lost'
  /** No answer in time: whether the call took effect is not known. */
  | 'timeout'
  /** The caller gave up. */
  | 'cancelled'
  /** Name or password are wrong, or the user may not. */
  | 'unauthorised'
  | 'index-missing'
  /** Another thing that was asked for is not there. */
  | 'not-found'
  /** A block stands in the way: write, read-only or flood stage. */
  | 'blocked'
  | 'conflict'
  /** It may be tried again later: 429 or 503. */
  | 'busy'
  /** The index does not take the call as it is. */
  | 'refused'
  /** The index failed by itself. */
  | 'failed'
  /** What came back is no answer of such an index. */
  | 'malformed';

interface FailureDetails {
  readonly status?: number;
  readonly type?: string;
  readonly isRequestSent?: boolean;
  /** The answer as JSON, where there was one. */
  readonly body?: unknown;
  readonly cause?: unknown;
}

/** A call to the index that did not succeed. Its message holds neither password nor documents. */
export class LogIndexFailure extends Error {
  readonly kind: FailureKind;
  /** Of the answer, when there was one. */
  readonly status: number | undefined;
  /** The engine's own name of it, such as `cluster_block_exception`. */
  readonly type: string | undefined;
  /** False: the index has seen nothing of the call. */
  readonly isRequestSent: boolean;
  readonly body: unknown;

  constructor(
    kind: FailureKind,
    message: string,
    { status, type, isRequestSent = true, body, cause }: FailureDetails = {},
  ) {
    super(message, { cause });
    this.name = 'LogIndexFailure';
    this.kind = kind;
    this.status = status;
    this.type = type;
    this.isRequestSent = isRequestSent;
    this.body = body;
  }
}

/** What a call says that brought no answer. */
export function failureOfCall(error: unknown, address: string): LogIndexFailure {
  if (!(error instanceof ClientFailure)) throw error;
  const { reason, isRequestSent } = error;
  const kind = kindOfReason(reason, isRequestSent);
  return new LogIndexFailure(kind, `${address}: ${error.message}`, { isRequestSent, cause: error });
}

function kindOfReason(reason: string, isRequestSent: boolean): FailureKind {
  if (reason === 'aborted') return 'cancelled';
  if (reason.startsWith('answer-')) return 'malformed';
  if (reason.startsWith('tls-')) return 'untrusted';
  if (reason.endsWith('-timeout') || reason === 'deadline-exceeded')
    return isRequestSent ? 'timeout' : 'unreachable';
  return isRequestSent ? 'lost' : 'unreachable';
}

interface ErrorMembers {
  readonly error?: string | { readonly type?: unknown; readonly reason?: unknown };
}

/** What an answer with a status of 300 or more says. */
export function failureOfAnswer(status: number, body: unknown): LogIndexFailure {
  const { error } = (typeof body === 'object' && body !== null ? body : {}) as ErrorMembers;
  const type = typeof error === 'object' && typeof error.type === 'string' ? error.type : undefined;
  const told = typeof error === 'string' ? error : error?.reason;
  const reason = typeof told === 'string' ? told : `the index answered with status ${status}`;
  return new LogIndexFailure(kindOfAnswer(status, type), reason, { status, type, body });
}

function kindOfAnswer(status: number, type: string | undefined): FailureKind {
  if (type === 'cluster_block_exception') return 'blocked';
  if (type === 'index_not_found_exception') return 'index-missing';
  if (status === 401 || status === 403) return 'unauthorised';
  if (status === 404) return 'not-found';
  if (status === 409) return 'conflict';
  if (status === 429 || status === 503) return 'busy';
  return status >= 500 ? 'failed' : 'refused';
}
