import type { HeaderPairs } from '../header-list.ts';

/** Where to connect. */
export interface ClientOrigin {
  readonly protocol: 'http:' | 'https:';
  /** A name, an IPv4 address, or an IPv6 address without brackets. */
  readonly host: string;
  readonly port: number;
}

/**
 * Bytes that are all here are sent with a Content-Length and must not change until the call is over. A stream is sent
 * in chunks, or as it is when the headers name its Content-Length.
 */
export type ClientBody = Uint8Array | readonly Uint8Array[] | AsyncIterable<Uint8Array>;

export interface ClientRequest {
  readonly origin: ClientOrigin;
  /** Any token but CONNECT. */
  readonly method: string;
  /** In origin-form: a path with an optional query, or `*` for OPTIONS. Latin-1. */
  readonly target: string;
  /**
   * Sent exactly as given and in this order. Host goes in front and what frames the body behind when they are missing.
   * Transfer-Encoding and Expect are not for callers to set.
   */
  readonly headers: HeaderPairs;
  readonly body?: ClientBody;
}

/** Where a URL points to, as a request needs it. The fragment stays here, and so do user and password. */
export function placeOf(url: URL): Pick<ClientRequest, 'origin' | 'target'> {
  const protocol = url.protocol as ClientOrigin['protocol'];
  const usualPort = protocol === 'https:' ? 443 : 80;
  return {
    origin: {
      protocol,
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port === '' ? usualPort : Number(url.port),
    },
    target: `${url.pathname}${url.search}`,
  };
}
