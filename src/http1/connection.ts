import type { Socket } from 'node:net';
import type { ContentBudget } from './content-budget.ts';
import type { ConnectionInfo, Exchange } from './exchange.ts';
import type { HeaderPairs } from './header-list.ts';
import type { Http1Limits, Http1Timeouts } from './limits.ts';
import type { Refusal } from './refusals.ts';
import { ServerConnection } from './server-connection.ts';

export interface Http1Options {
  readonly limits: Http1Limits;
  readonly timeouts: Http1Timeouts;
  /** Bounds what all connections that share it keep of request bodies; without it only each body is bounded. */
  readonly contentBudget?: ContentBudget;
  /** Reads requests as a careless server would; the rules stand at `parseHeadLeniently`. */
  readonly isLenient: boolean;
  /** Wall-clock time of the Date field. Timeouts run on the monotonic clock. */
  readonly now: () => number;
  /** Called for each request, one after the other; it must answer the exchange sooner or later and never throw. */
  readonly onExchange: (exchange: Exchange) => void;
  /** Renders the answer to a refused request; the engine adds Connection: close and framing. */
  readonly renderRefusal: (refusal: Refusal, partialHead: Buffer) => { headers: HeaderPairs; body: string };
  readonly onRefused?: (refusal: Refusal, info: ConnectionInfo) => void;
}

export interface Http1Connection {
  /** No request is being received or answered. */
  readonly isIdle: boolean;
  /** No new request; closes when the running answer is done. */
  closeGracefully(): void;
  destroy(): void;
  readonly closed: Promise<void>;
}

/**
 * Serves HTTP/1.1 on a connected socket. Of the socket it uses: the events data, end, drain, timeout, error, close;
 * pause, resume, write, cork, uncork, end, destroy; writableNeedDrain, writableLength, destroyed, allowHalfOpen;
 * and, where they exist, setTimeout, setKeepAlive and resetAndDestroy. Any Duplex of bytes with `decodeStrings: false` or true works.
 */
export function serveHttp1(
  socket: Socket,
  firstBytes: Buffer | undefined,
  info: ConnectionInfo,
  options: Http1Options,
): Http1Connection {
  return new ServerConnection(socket, firstBytes, info, options);
}
