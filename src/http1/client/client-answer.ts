import type { HeaderList, HeaderPairs } from '../header-list.ts';
import type { PhaseTimes } from './client-failure.ts';

interface AnswerStart {
  readonly status: number;
  /** The reason phrase as sent; often empty. */
  readonly reason: string;
  readonly version: '1.0' | '1.1';
  readonly headers: HeaderList;
  /** The connection had served a request before. */
  readonly isReusedConnection: boolean;
}

/** An answer that is here as a whole. */
export interface ClientAnswer extends AnswerStart {
  /** At most as long as the caller wanted. */
  readonly body: Buffer;
  /** The body was longer, and the rest was thrown away. */
  readonly isBodyCut: boolean;
  readonly trailers: HeaderPairs;
  readonly phases: PhaseTimes;
}

/** An answer whose body is still arriving. Its body must be read to the end or cancelled. */
export interface OpenAnswer extends AnswerStart {
  readonly body: AnswerStream;
  /** Up to the head. */
  readonly phases: PhaseTimes;
}

/** Can be read once. Fails with a ClientFailure of the phase `body`. Leaving the loop early cancels. */
export interface AnswerStream extends AsyncIterable<Buffer> {
  /** Complete when the body was read to its end. */
  readonly trailers: HeaderPairs;
  /** The rest is not wanted: the connection is closed. */
  cancel(): void;
}
