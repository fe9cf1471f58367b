import type { Exchange } from '../../http1/exchange.ts';
import type { HeaderList } from '../../http1/header-list.ts';
import { parseQuery, type QueryPairs } from './query.ts';

/** The request as handlers look at it; everything derived is made when first asked for. */
export class RequestView {
  readonly method: string;
  readonly headers: HeaderList;
  /** Path of the target exactly as sent: never decoded, never normalised. One character is one byte. */
  readonly rawPath: string;
  /** Query of the target without its `?`, exactly as sent; undefined when there is no `?`. */
  readonly rawQuery: string | undefined;
  readonly #exchange: Exchange;
  #queryPairs: QueryPairs | undefined;

  constructor(exchange: Exchange) {
    const { method, target, headers } = exchange.head;
    this.#exchange = exchange;
    this.method = method;
    this.headers = headers;
    const { rawPath, rawQuery } = splitTarget(target);
    this.rawPath = rawPath;
    this.rawQuery = rawQuery;
  }

  /** The target as sent, in whichever form (origin, absolute, asterisk). */
  get target(): string {
    return this.#exchange.head.target;
  }

  /** Decoded query pairs in order, duplicates kept. */
  get queryPairs(): QueryPairs {
    this.#queryPairs ??= parseQuery(this.rawQuery ?? '');
    return this.#queryPairs;
  }

  /** `host[:port]` the client asked for; an absolute-form target wins over Host (RFC 9112 §3.2.2). */
  get authority(): string {
    const { target } = this;
    const absolute = target.startsWith('/') ? null : /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(target);
    return absolute?.[1] ?? this.headers.first('host') ?? '';
  }

  /** The scheme of this connection itself, whatever proxies in front say. */
  get scheme(): 'http' | 'https' {
    return this.#exchange.connection.tls ? 'https' : 'http';
  }

  /** The peer address: of the PROXY protocol header if there is one, else of the socket. */
  get peerAddress(): string {
    const { proxyHeader, remoteAddress } = this.#exchange.connection;
    return proxyHeader?.command === 'PROXY' ? proxyHeader.sourceAddress : remoteAddress;
  }
}

/** Path and query of a target in whichever form, both exactly as written. */
export function splitTarget(target: string): { rawPath: string; rawQuery: string | undefined } {
  const path = pathOfTarget(target);
  const queryAt = path.indexOf('?');
  if (queryAt < 0) return { rawPath: path, rawQuery: undefined };
  return { rawPath: path.slice(0, queryAt), rawQuery: path.slice(queryAt + 1) };
}

function pathOfTarget(target: string): string {
  if (target.startsWith('/')) return target;
  const absolute = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(target);
  if (!absolute) return target;
  const rest = target.slice(absolute[0].length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}
