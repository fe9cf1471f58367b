import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';
import type { ClientTls } from '../http1/client/client-options.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';
import { HttpCaller } from '../kernel/outbound/http-caller.ts';
import { failureOfAnswer, failureOfCall, LogIndexFailure } from './log-index-failure.ts';

export interface LogIndexClientOptions {
  /** `http://host:9200` or `https://…`, without user and password. */
  readonly url: string;
  readonly user?: string;
  readonly password?: string;
  /** Takes any certificate, as `curl --insecure` does. */
  readonly isInsecure?: boolean;
  /** The certificates to trust, as PEM; the machine's usual ones unless given. */
  readonly caFile?: string;
  /** Is told of every call before it is made. It never sees the password. */
  readonly onCall?: (call: ReportedCall) => void;
  /** Of calls that do not run for long. */
  readonly deadlineMs?: number;
  readonly clock?: Clock;
}

export interface ReportedCall {
  readonly method: string;
  readonly url: string;
  readonly user: string | undefined;
  readonly headers: readonly string[];
  /** The body as text; undefined where there is none, and for documents in bulk. */
  readonly body: string | undefined;
  readonly isInsecure: boolean;
}

/** How one call is made. */
export interface CallOptions {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: object | Uint8Array;
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
  /** Names the call among the tasks of the engine. */
  readonly opaqueId?: string;
  /** Such an answer is no failure. */
  readonly accepts?: (status: number, body: unknown) => boolean;
}

const DEFAULT_DEADLINE_MS = 30_000;
const MAX_ANSWER_BYTES = 256 * 2 ** 20;
const READ_ATTEMPTS = 3;
const RETRY_PAUSE_MS = 200;

/**
 * Calls to one index, and what they say when they do not succeed. A call that only reads is tried again when nobody answered;
 * one that writes never is: only its caller knows whether that is safe.
 */
export class LogIndexCaller implements AsyncDisposable {
  readonly url: string;
  readonly #options: LogIndexClientOptions;
  readonly #caller: HttpCaller;
  readonly #clock: Clock;

  constructor(options: LogIndexClientOptions) {
    this.url = options.url.replace(/\/+$/, '');
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#caller = new HttpCaller({ tls: tlsOf(options) });
  }

  close(): Promise<void> {
    return this.#caller.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#caller[Symbol.asyncDispose]();
  }

  /** A call that changes nothing: tried again when nobody answered, or the index was too busy. */
  async read<Answer>(method: 'GET' | 'POST', path: string, options: CallOptions = {}): Promise<Answer> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.call<Answer>(method, path, options);
      } catch (error) {
        if (attempt === READ_ATTEMPTS || !isWorthRepeating(error)) throw error;
      }
      await this.#clock.sleep(RETRY_PAUSE_MS * 2 ** (attempt - 1), options.signal);
    }
  }

  /** One call, made once. Fails with a LogIndexFailure. */
  async call<Answer>(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const { body, signal, accepts } = options;
    const url = this.url + path + queryText(options.query);
    const isBulk = body instanceof Uint8Array;
    const text = body === undefined || isBulk ? undefined : JSON.stringify(body);
    const headers = headersOf(options, isBulk && path.endsWith('_bulk'));
    const { user, isInsecure = false, onCall } = this.#options;
    onCall?.({ method, url, user: user || undefined, headers, body: text, isInsecure });
    const { status, body: bytes } = await this.#send(method, url, [...headers, ...this.#authorization()], {
      body: isBulk ? body : text,
      deadlineMs: options.deadlineMs ?? this.#options.deadlineMs ?? DEFAULT_DEADLINE_MS,
      signal,
    });
    const answer = parseAnswer(bytes);
    if (status < 300 ? answer !== undefined : accepts?.(status, answer)) return answer as Answer;
    if (status < 300) throw new LogIndexFailure('malformed', 'the answer is no JSON object', { status });
    throw failureOfAnswer(status, answer);
  }

  async #send(
    method: string,
    url: string,
    headers: readonly string[],
    { body, deadlineMs, signal }: { body?: string | Uint8Array; deadlineMs: number; signal?: AbortSignal },
  ) {
    try {
      return await this.#caller.call({
        url,
        method,
        headers,
        body,
        deadlineMs,
        signal,
        maxBodyBytes: MAX_ANSWER_BYTES,
      });
    } catch (error) {
      throw failureOfCall(error, new URL(this.url).host);
    }
  }

  #authorization(): string[] {
    const { user, password = '' } = this.#options;
    if (!user) return [];
    return ['Authorization', `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`];
  }
}

function tlsOf({ url, isInsecure, caFile }: LogIndexClientOptions): ClientTls | undefined {
  if (!url.startsWith('https:') || isInsecure) return undefined;
  return { ca: caFile === undefined ? [...rootCertificates] : readFileSync(caFile) };
}

function headersOf({ body, opaqueId }: CallOptions, isBulk: boolean): string[] {
  const type = isBulk ? 'application/x-ndjson' : 'application/json';
  return [
    'Accept',
    'application/json',
    ...(body === undefined ? [] : ['Content-Type', type]),
    ...(opaqueId === undefined ? [] : ['X-Opaque-Id', opaqueId]),
  ];
}

function queryText(query: CallOptions['query'] = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  if (given.length === 0) return '';
  return `?${new URLSearchParams(given.map(([key, value]) => [key, String(value)]))}`;
}

function isWorthRepeating(error: unknown): boolean {
  return error instanceof LogIndexFailure && ['unreachable', 'lost', 'busy'].includes(error.kind);
}

function parseAnswer(bytes: Buffer): unknown {
  if (bytes.length === 0) return {};
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
