import type { HeaderPairs } from '../header-list.ts';
import type { Http1Limits } from '../limits.ts';
import type { RefusalKey } from '../refusals.ts';

/** What a client sends on a new connection, and what has to come of it. Text is Latin-1: one character is one byte. */
export interface ConformanceCase extends Circumstances {
  readonly name: string;
  /** Where the rule stands. */
  readonly rfc: string;
  readonly bytes: string;
  readonly expect: Expectation;
}

export type Expectation =
  | ({ readonly verdict: 'accepted' } & SeenByHandler)
  /** The handler never hears of it. */
  | { readonly verdict: 'refused'; readonly status: number; readonly key: RefusalKey }
  /** The handler sees the head, and learns it by reading the body. */
  | {
      readonly verdict: 'body refused';
      readonly status: number;
      readonly key: RefusalKey;
      readonly staysOpen: boolean;
    };

export interface SeenByHandler {
  readonly method: string;
  readonly target: string;
  readonly version: '1.0' | '1.1';
  /** Compared when given. */
  readonly headers?: HeaderPairs;
  readonly body: string;
  readonly trailers: HeaderPairs;
  /** Compared when given. */
  readonly chunkSizes?: readonly number[];
  /** Another request is served on the connection. */
  readonly staysOpen: boolean;
  /** A 100 (Continue) comes before a body that is not there yet. */
  readonly isContinued: boolean;
}

export interface Circumstances {
  readonly limits?: Partial<Http1Limits>;
  /** What the handler is willing to read. */
  readonly maxBodyBytes?: number;
  readonly isLenient?: boolean;
  /** The client closes its half behind the bytes, and no request follows. */
  readonly closesBehind?: boolean;
}

/** The status is written out beside the key, so that a change of the table does not go unnoticed. */
export type Verdict = `${number} ${RefusalKey}`;

const usual: SeenByHandler = {
  method: 'GET',
  target: '/',
  version: '1.1',
  body: '',
  trailers: [],
  staysOpen: true,
  isContinued: false,
};

/** What is not said of the request is as in `GET / HTTP/1.1` without a body. */
export function accept(
  name: string,
  rfc: string,
  bytes: string,
  seen: Partial<SeenByHandler> = {},
  circumstances: Circumstances = {},
): ConformanceCase {
  return { name, rfc, bytes, expect: { verdict: 'accepted', ...usual, ...seen }, ...circumstances };
}

export function refuse(
  name: string,
  rfc: string,
  bytes: string,
  verdict: Verdict,
  circumstances: Circumstances = {},
): ConformanceCase {
  return { name, rfc, bytes, expect: { verdict: 'refused', ...partsOf(verdict) }, ...circumstances };
}

/** A body that is broken ends the connection; one that is only too large does not, when little of it is missing. */
export function refuseBody(
  name: string,
  rfc: string,
  bytes: string,
  verdict: Verdict,
  circumstances: Circumstances = {},
): ConformanceCase {
  const parts = partsOf(verdict);
  const staysOpen = parts.key === 'body-too-large';
  return { name, rfc, bytes, expect: { verdict: 'body refused', ...parts, staysOpen }, ...circumstances };
}

function partsOf(verdict: Verdict): { status: number; key: RefusalKey } {
  const [status, key] = verdict.split(' ') as [string, RefusalKey];
  return { status: Number(status), key };
}

/** A whole head of this request line, with a Host. */
export function line(requestLine: string): string {
  return `${requestLine}\r\nHost: a\r\n\r\n`;
}

/** A whole head of `GET / HTTP/1.1` with a Host and these fields. */
export function get(...fields: string[]): string {
  return headOf('GET / HTTP/1.1', 'Host: a', ...fields);
}

/** A whole head of `POST / HTTP/1.1` with a Host and these fields. */
export function post(...fields: string[]): string {
  return headOf('POST / HTTP/1.1', 'Host: a', ...fields);
}

export function headOf(...lines: string[]): string {
  return `${lines.join('\r\n')}\r\n\r\n`;
}

export function shown(character: string): string {
  const code = character.charCodeAt(0);
  return code > 0x20 && code < 0x7f ? character : `0x${code.toString(16).padStart(2, '0')}`;
}
