import { serveHttp1 } from '../../src/http1/connection.ts';
import type { ConnectionInfo } from '../../src/http1/exchange.ts';
import {
  defaultLimits,
  defaultTimeouts,
  type Http1Limits,
  type Http1Timeouts,
} from '../../src/http1/limits.ts';
import { MemorySocket } from '../../src/http1/testing/memory-socket.ts';
import {
  type ObservedRequest,
  observedAnswers,
  observeInto,
} from '../../src/http1/testing/observed-requests.ts';
import type { Reading, ReadingEnd } from './reading.ts';

const NO_TIMEOUTS: Http1Timeouts = {
  ...defaultTimeouts,
  headMs: 0,
  bodyMs: 0,
  idleMs: 0,
  answerStallMs: 0,
  lingerMs: 0,
};

const NOBODY: ConnectionInfo = {
  id: 'fuzz',
  openedAtMs: 0,
  remoteAddress: '',
  remotePort: 0,
  localAddress: '',
  localPort: 0,
  proxyHeader: undefined,
  tls: undefined,
};

/** Limits that generated requests exceed now and then. */
export const tightLimits: Http1Limits = {
  ...defaultLimits,
  maxMethodBytes: 5,
  maxTargetBytes: 10,
  maxHeadBytes: 100,
  maxHeaderCount: 4,
  maxTrailerBytes: 12,
  maxChunkExtensionBytes: 6,
  maxLeadingEmptyLines: 1,
};

export interface ReadingOptions {
  /** Where the bytes are cut. */
  readonly cuts?: readonly number[];
  readonly isLenient?: boolean;
  readonly limits?: Http1Limits;
}

/** The whole engine, from the socket's events to the handler, reading the bytes at once or in pieces. */
export async function readWithEngine(
  wire: Buffer,
  { cuts = [], isLenient = false, limits = defaultLimits }: ReadingOptions = {},
): Promise<Reading> {
  const socket = new MemorySocket();
  const seen: ObservedRequest[] = [];
  let refusedBy: string | undefined;
  serveHttp1(socket.asSocket, undefined, NOBODY, {
    limits,
    timeouts: NO_TIMEOUTS,
    isLenient,
    now: () => 0,
    onExchange: observeInto(seen),
    renderRefusal: ({ key }) => ({ headers: [], body: key }),
    onRefused: ({ key }) => {
      refusedBy = key;
    },
  });
  await feed(socket, wire, cuts);
  const isClosed = socket.hasEnded;
  const { answers } = observedAnswers(socket.written);
  socket.destroy();

  const messages = seen.map((request, index) => ({
    method: request.method,
    target: request.target,
    version: request.version,
    headers: request.headers,
    headText: request.headText,
    keepsAlive: answers[index]?.closes === false,
    isComplete: request.body !== undefined,
    body: request.body ?? '',
    trailers: request.trailers,
  }));
  let end: ReadingEnd = { kind: isClosed ? 'closed' : 'waiting' };
  if (refusedBy !== undefined) end = { kind: 'refused', rule: refusedBy };
  return { messages, end };
}

/** Sometimes the engine can finish what it does before the next piece comes, sometimes not. */
async function feed(socket: MemorySocket, wire: Buffer, cuts: readonly number[]): Promise<void> {
  let at = 0;
  for (const cut of [...cuts, wire.length]) {
    if (cut <= at) continue;
    socket.receive(wire.subarray(at, cut));
    at = cut;
    if (cut % 2 === 0) await null;
    else if (cut % 5 === 0) await turn();
  }
  // Answers are held for a turn of the event loop, to leave together.
  await turn();
  await turn();
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
