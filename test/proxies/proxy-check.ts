import type { Expectation } from '../../src/kernel/catalogue/endpoint.ts';
import type { RawExchange } from '../../src/kernel/testing/raw-client.ts';

/** One question about a proxy: what is sent, what must come without one, and how the answer is read. */
export interface ProxyCheck {
  /** Stable name such as `headers.case`. */
  readonly id: string;
  /** What is looked at, as the table says it. */
  readonly asks: string;
  /** What the reader of the table may want to know. */
  readonly note?: string;
  /** The exact bytes, one character per byte. The token is new for each run and names what the test service keeps. */
  readonly request: string | ((token: string) => string);
  /** More bytes after a pause. */
  readonly later?: { readonly afterMs: number; readonly bytes: string };
  /** When the client stops waiting for the end of the connection. */
  readonly waitMs?: number;
  /** Sent the same way before, each on a connection of its own. */
  readonly earlier?: readonly string[];
  /** Asked of the test service itself when all is over. */
  readonly afterwards?: (token: string) => string;
  /** What the test service must answer when nothing is in between. */
  readonly direct: Expectation;
  /** And what the verdict is then; `unchanged` unless given. */
  readonly directVerdict?: string;
  /** Judges an answer that came. No answer at all, and refusals by the proxy, are judged before. */
  readonly verdict: (sight: Sight) => Verdict;
  /** Set where an error of the proxy's own, or no answer, is for `verdict` to judge. */
  readonly judgesEverything?: boolean;
}

/** What was seen of one check. */
export interface Sight {
  readonly answer: RawExchange;
  /** What came without a proxy. */
  readonly direct: RawExchange;
  readonly earlier: readonly RawExchange[];
  readonly afterwards: RawExchange | undefined;
}

/**
 * `unchanged`: as without a proxy. `changed`: it came, but otherwise. `refused`: the proxy gave an error of its own.
 * `failed`: the client got no answer.
 */
export interface Verdict {
  readonly kind: 'unchanged' | 'changed' | 'refused' | 'failed';
  /** A few words for the table. They hold nothing that differs from run to run. */
  readonly how: string;
}

/** Checks of one group of the test service. */
export interface CheckGroup {
  readonly name: string;
  /** What the words of its verdicts mean, where they do not speak for themselves. */
  readonly about?: string;
  readonly checks: readonly ProxyCheck[];
}

export const unchanged = (how = 'unchanged'): Verdict => ({ kind: 'unchanged', how });
export const changed = (how: string): Verdict => ({ kind: 'changed', how });
export const refused = (status: number): Verdict => ({ kind: 'refused', how: `refused: ${status}` });
export const failed = (how: string): Verdict => ({ kind: 'failed', how: `failed: ${how}` });
