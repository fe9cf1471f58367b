import { ClientGone, type Exchange } from '../exchange.ts';
import type { HeaderPairs } from '../header-list.ts';
import { Refusal, type RefusalKey } from '../refusals.ts';

/** A request as its handler saw it. Text is Latin-1. */
export interface ObservedRequest {
  readonly method: string;
  readonly target: string;
  readonly version: string;
  readonly headers: HeaderPairs;
  /** The head as it came. */
  readonly headText: string;
  /** Undefined until the body was read to its end. */
  body: string | undefined;
  trailers: HeaderPairs;
  chunkSizes: readonly number[];
  /** Why the body could not be read. */
  bodyRefusal: RefusalKey | undefined;
}

/**
 * A handler that writes down what it sees and answers 200 without content, or what became of the body. Anything else
 * that goes wrong within the engine is an unhandled rejection and fails the test.
 */
export function observeInto(seen: ObservedRequest[], maxBodyBytes = 1_000_000): (exchange: Exchange) => void {
  return (exchange) => {
    const { method, target, version, headers, wireBytes } = exchange.head;
    const request: ObservedRequest = {
      method,
      target,
      version,
      headers: headers.raw,
      headText: wireBytes!.toString('latin1'),
      body: undefined,
      trailers: [],
      chunkSizes: [],
      bodyRefusal: undefined,
    };
    seen.push(request);
    if (exchange.body.isPresent) {
      void readBody(exchange, request, maxBodyBytes);
      return;
    }
    request.body = '';
    answer(exchange);
  };
}

async function readBody(exchange: Exchange, request: ObservedRequest, maxBytes: number): Promise<void> {
  const { body } = exchange;
  try {
    request.body = (await body.bytes(maxBytes)).toString('latin1');
    request.trailers = body.trailers;
    request.chunkSizes = body.chunkSizes;
    answer(exchange);
  } catch (error) {
    if (error instanceof ClientGone) return;
    if (!(error instanceof Refusal)) throw error;
    request.bodyRefusal = error.key;
    exchange.send(error.status, [], error.key);
  }
}

/** A 2xx to CONNECT would begin a tunnel, and no further request would be read. */
function answer(exchange: Exchange): void {
  exchange.send(exchange.head.method === 'CONNECT' ? 501 : 200, []);
}

export interface ObservedAnswer {
  readonly status: number;
  readonly closes: boolean;
}

/** The answers the handler above and the engine wrote, in order. Only the last can have content. */
export function observedAnswers(written: string): { answers: ObservedAnswer[]; continueCount: number } {
  const answers: ObservedAnswer[] = [];
  let continueCount = 0;
  for (const [, status, fields] of written.matchAll(
    /HTTP\/1\.1 (\d{3}) [^\r\n]*\r\n((?:[^\r\n]+\r\n)*)\r\n/g,
  )) {
    if (status === '100') continueCount++;
    else answers.push({ status: Number(status), closes: /^Connection: close\r$/m.test(fields!) });
  }
  return { answers, continueCount };
}
