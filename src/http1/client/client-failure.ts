/** The stages of a call, in their order. A connection that is used again skips dns, connect and tls. */
export type ClientPhase = 'acquire' | 'dns' | 'connect' | 'tls' | 'write' | 'response' | 'body';

/**
 * How long each phase took, in milliseconds. Phases that were skipped or not reached are absent; the one that
 * failed holds the time until it failed.
 */
export type PhaseTimes = { readonly [phase in ClientPhase]?: number };

/** Every reason for which a call fails. The codes are stable: callers decide and report by them. */
const reasonTexts = {
  // Before any contact
  'request-invalid': 'the request cannot be sent as it is given',
  'pool-closed': 'the connection pool is closed',
  'queue-full': 'too many requests wait for a connection already',
  'acquire-timeout': 'no connection became free in time',

  // Anywhere
  aborted: 'the call was cancelled',
  'deadline-exceeded': 'the whole call took too long',

  // Reaching the target
  'dns-not-found': 'the host name does not exist',
  'dns-failed': 'the host name could not be resolved',
  'address-refused': 'the host has an address that must not be called',
  'connect-timeout': 'the connection was not established in time',
  'connect-refused': 'the target refused the connection',
  'connect-unreachable': 'there is no way to the target',
  'connect-reset': 'the connection was reset while it was established',
  'connect-failed': 'the connection could not be established',

  // TLS
  'tls-certificate-expired': 'the certificate of the target has expired',
  'tls-certificate-not-yet-valid': 'the certificate of the target is not valid yet',
  'tls-issuer-unknown': 'the certificate of the target is signed by nobody who is trusted',
  'tls-hostname-mismatch': 'the certificate of the target is for another name',
  'tls-certificate-invalid': 'the certificate of the target is not accepted',
  'tls-client-certificate-required': 'the target demands a client certificate',
  'tls-client-certificate-rejected': 'the target rejected the client certificate',
  'tls-protocol-version': 'the target speaks no TLS version that is allowed',
  'tls-handshake-reset': 'the target closed the connection within the TLS handshake',
  'tls-not-spoken': 'the target does not speak TLS',
  'tls-settings-invalid': 'the certificates or keys given for TLS cannot be used',
  'tls-failed': 'the TLS handshake failed',

  // On an open connection
  'write-timeout': 'the request could not be sent in time',
  'response-timeout': 'the head of the answer did not come in time',
  'idle-timeout': 'the answer stopped arriving',
  'stale-connection': 'a connection that was used again was closed before any answer',
  'connection-closed': 'the target closed the connection before the answer was complete',
  'connection-reset': 'the connection was reset',
  'request-body-failed': 'the body of the request could not be read to its end',
  'answer-invalid': 'the answer is no valid HTTP/1.1',
  'answer-too-large': 'the answer is longer than was asked for',
} as const;

export type ClientFailureReason = keyof typeof reasonTexts;

export interface FailureDetails {
  readonly phase: ClientPhase;
  /** Some of the request may have reached the target. */
  readonly isRequestSent: boolean;
  readonly phases?: PhaseTimes;
  /** Of the answer, when its head was complete. */
  readonly status?: number;
  /** What exactly was wrong: the rule that an answer broke, the system's or the TLS library's code. */
  readonly detail?: string;
  readonly cause?: unknown;
}

/** A call that brought no whole answer. Its message holds no content, field value or secret. */
export class ClientFailure extends Error {
  readonly phase: ClientPhase;
  readonly reason: ClientFailureReason;
  /** False: the target has seen nothing of the request, so that it may be repeated whatever its method. */
  readonly isRequestSent: boolean;
  readonly phases: PhaseTimes;
  readonly status: number | undefined;
  readonly detail: string | undefined;

  constructor(
    reason: ClientFailureReason,
    { phase, isRequestSent, phases, status, detail, cause }: FailureDetails,
  ) {
    super(detail === undefined ? reasonTexts[reason] : `${reasonTexts[reason]} (${detail})`, { cause });
    this.name = 'ClientFailure';
    this.phase = phase;
    this.reason = reason;
    this.isRequestSent = isRequestSent;
    this.phases = phases ?? {};
    this.status = status;
    this.detail = detail;
  }
}
