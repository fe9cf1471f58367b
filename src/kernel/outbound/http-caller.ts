import { ClientFailure } from '../../http1/client/client-failure.ts';
import type { AddressSource, ClientTimeouts, ClientTls } from '../../http1/client/client-options.ts';
import { ClientPool } from '../../http1/client/client-pool.ts';
import { type ClientRequest, placeOf } from '../../http1/client/client-request.ts';
import type { HeaderList, HeaderPairs } from '../../http1/header-list.ts';

export interface OutboundCall {
  /** http or https, without user and password. */
  readonly url: string | URL;
  /** GET unless given. */
  readonly method?: string;
  readonly headers?: HeaderPairs;
  readonly body?: string | Uint8Array;
  /** For the whole call, from waiting for a connection to the last byte of the answer. */
  readonly deadlineMs: number;
  /** A longer answer is a failure; 1 MiB unless given. */
  readonly maxBodyBytes?: number;
  readonly signal?: AbortSignal;
}

export interface OutboundAnswer {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: Buffer;
}

export interface HttpCallerOptions {
  readonly maxPerHost?: number;
  readonly maxTotal?: number;
  readonly tls?: ClientTls;
  readonly addresses?: AddressSource;
}

/** The deadline of a call is the one limit of its time. */
const noTimeouts: ClientTimeouts = { acquireMs: 0, connectMs: 0, writeMs: 0, responseMs: 0, idleMs: 0 };

/**
 * Calls of the platform to its own parts and engines: small, whole, each with a deadline. Redirects are not followed.
 * A call fails with a ClientFailure; an answer is an answer whatever its status.
 */
export class HttpCaller implements AsyncDisposable {
  readonly #pool: ClientPool;

  constructor({ maxPerHost = 16, maxTotal = 256, tls, addresses }: HttpCallerOptions = {}) {
    this.#pool = new ClientPool({ maxPerHost, maxTotal, tls, addresses, timeouts: noTimeouts });
  }

  async call(call: OutboundCall): Promise<OutboundAnswer> {
    const { deadlineMs, maxBodyBytes, signal } = call;
    const request = requestOf(call);
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), deadlineMs);
    try {
      const signals = signal ? AbortSignal.any([signal, deadline.signal]) : deadline.signal;
      const answer = await this.#pool.send(request, { signal: signals, maxBodyBytes });
      const { status, headers, body, phases } = answer;
      if (!answer.isBodyCut) return { status, headers, body };
      throw new ClientFailure('answer-too-large', { phase: 'body', isRequestSent: true, status, phases });
    } catch (error) {
      const isLate = deadline.signal.aborted && !signal?.aborted;
      if (!isLate || !(error instanceof ClientFailure)) throw error;
      const { phase, isRequestSent, status, phases } = error;
      throw new ClientFailure('deadline-exceeded', { phase, isRequestSent, status, phases, cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  /** Calls that run come to their end. */
  close(): Promise<void> {
    return this.#pool.close();
  }

  /** Calls that run fail with `pool-closed`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#pool.destroy();
  }
}

function requestOf({ url, method = 'GET', headers = [], body }: OutboundCall): ClientRequest {
  return {
    ...placeOf(parsed(url)),
    method,
    headers,
    body: typeof body === 'string' ? Buffer.from(body) : body,
  };
}

function parsed(url: string | URL): URL {
  const place = typeof url === 'string' ? URL.parse(url) : url;
  if (place === null) throw invalid('the URL cannot be read');
  if (place.username !== '' || place.password !== '') throw invalid('the URL holds a user or a password');
  return place;
}

function invalid(detail: string): ClientFailure {
  return new ClientFailure('request-invalid', { phase: 'acquire', isRequestSent: false, detail });
}
