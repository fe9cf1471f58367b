import type { ClientAnswer } from '../http1/client/client-answer.ts';
import { ClientFailure, type ClientPhase, type PhaseTimes } from '../http1/client/client-failure.ts';
import type { ClientRequest } from '../http1/client/client-request.ts';
import { canDeliverLogs } from '../model/connection-rules.ts';
import { isAddress, resolveAddress } from './delivery-address.ts';
import type { DeliverySettings } from './delivery-settings.ts';
import { createEncoder } from './encode.ts';
import { readCollectorAnswer } from './event-collector/collector-answer.ts';
import { eventPath } from './event-collector/collector-path.ts';
import { Gzip } from './gzip.ts';
import { requestHeaders } from './request-headers.ts';
import type { SendingPool } from './sender.ts';

/** How a failed contact is classified (spec 2 §7.3); `configuration` is what fails before any contact. */
export type ContactErrorClass =
  | 'target-4xx'
  | 'target-5xx'
  | 'timeout'
  | 'authentication-failed'
  | 'pool-exhausted'
  | 'configuration';

export interface ContactFailure {
  readonly errorClass: ContactErrorClass;
  /** Stable, such as `connect-refused` or `status-503`. */
  readonly reason: string;
  readonly phase: ClientPhase | 'prepare' | 'status';
}

/** What came of one contact with the real endpoint. */
export interface ContactResult {
  readonly isSuccess: boolean;
  /** In words; never a body, a header value or a secret. */
  readonly detail: string;
  readonly failure?: ContactFailure | undefined;
  readonly status?: number | undefined;
  readonly phases: PhaseTimes;
  readonly totalMs: number;
}

export interface ContactOptions {
  readonly settings: DeliverySettings;
  readonly pool: SendingPool;
  /** The deadline of the whole contact. */
  readonly signal: AbortSignal;
  readonly nowMs: number;
}

const MAX_ANSWER_BYTES = 64 * 1024;

const hints: Readonly<Record<ContactErrorClass, string>> = {
  'target-4xx': 'check the URL, the headers and the payload',
  'target-5xx': 'the target is down, rejects, or limits the rate',
  timeout: 'the target is too slow, or the timeout too short',
  'authentication-failed': 'check the authorization headers and the key store',
  'pool-exhausted': 'connectionRequestTimeoutSeconds is too low or the pool too small',
  configuration: 'check the parameters of the connection',
};

/** Calls the endpoint of a connection once, as a delivery would, whether the connection is enabled or not. */
export async function contactOnce({ settings, pool, signal, nowMs }: ContactOptions): Promise<ContactResult> {
  const beganAtMs = performance.now();
  const timed = (result: Omit<ContactResult, 'totalMs'>): ContactResult => ({
    ...result,
    totalMs: performance.now() - beganAtMs,
  });
  const request = await testRequest(settings, nowMs);
  if ('reason' in request) {
    const failure = { errorClass: 'configuration', reason: request.reason, phase: 'prepare' } as const;
    return timed({ isSuccess: false, detail: inWords(failure, request.detail), failure, phases: {} });
  }
  try {
    const answer = await pool.send(request, { signal, maxBodyBytes: MAX_ANSWER_BYTES });
    return timed(resultOf(answer, settings));
  } catch (error) {
    if (!(error instanceof ClientFailure)) throw error;
    const failure = failureOf(error);
    return timed({
      isSuccess: false,
      detail: inWords(failure, error.message),
      failure,
      status: error.status,
      phases: error.phases,
    });
  }
}

async function testRequest(settings: DeliverySettings, nowMs: number) {
  const { fullUrl, variables, collector, method, isGzipEnabled, batch } = settings;
  const address = resolveAddress(fullUrl, variables, collector && eventPath);
  if (!isAddress(address)) return address;
  const headers = requestHeaders(settings);
  const bare: ClientRequest = { ...address, method, headers: headers.plain };
  if (!canDeliverLogs({ httpMethod: method })) return bare;
  const encoder = createEncoder(batch.isEnabled, collector?.metadata, () => nowMs);
  const { opening, json } = encoder.encode({ record: testRecord(settings, nowMs) });
  const body = Buffer.from(opening + json + encoder.closing);
  if (!isGzipEnabled) return { ...bare, body };
  return { ...bare, headers: headers.gzipped, body: await new Gzip().compress(body) };
}

function testRecord({ place }: DeliverySettings, nowMs: number): object {
  return {
    '@timestamp': new Date(nowMs).toISOString(),
    message: 'test connection',
    connection: place.connectionName,
    environment: place.environmentName,
  };
}

function resultOf(answer: ClientAnswer, { collector }: DeliverySettings): Omit<ContactResult, 'totalMs'> {
  const { status, phases } = answer;
  if (status >= 200 && status < 300)
    return { isSuccess: true, detail: `the target answered with status ${status}`, status, phases };
  const failure: ContactFailure = {
    errorClass: classOfStatus(status),
    reason: `status-${status}`,
    phase: 'status',
  };
  const { code } = collector ? readCollectorAnswer(answer.body) : {};
  const said = `the target answered with status ${status}${code === undefined ? '' : `, collector code ${code}`}`;
  const redirected = status >= 300 && status < 400 ? `${said}; redirects are not followed` : said;
  return { isSuccess: false, detail: inWords(failure, redirected), failure, status, phases };
}

function classOfStatus(status: number): ContactErrorClass {
  if (status === 401 || status === 403 || status === 407) return 'authentication-failed';
  // A limit of the rate is the target's state, not a fault of the request.
  if (status === 429 || status >= 500) return 'target-5xx';
  return 'target-4xx';
}

function failureOf({ reason, phase }: ClientFailure): ContactFailure {
  return { errorClass: classOfReason(reason), reason, phase };
}

function classOfReason(reason: ClientFailure['reason']): ContactErrorClass {
  switch (reason) {
    case 'acquire-timeout':
    case 'queue-full':
    case 'pool-closed':
      return 'pool-exhausted';
    case 'connect-timeout':
    case 'write-timeout':
    case 'response-timeout':
    case 'idle-timeout':
    // Only the deadline of the whole contact aborts it.
    case 'aborted':
      return 'timeout';
    case 'tls-client-certificate-required':
    case 'tls-client-certificate-rejected':
      return 'authentication-failed';
    // Nobody was there to answer with a 4xx; it is the URL that is wrong.
    case 'dns-not-found':
    case 'request-invalid':
    case 'address-refused':
    case 'tls-settings-invalid':
      return 'configuration';
    default:
      return 'target-5xx';
  }
}

function inWords({ errorClass }: ContactFailure, what: string): string {
  return `${what}: ${hints[errorClass]}`;
}
