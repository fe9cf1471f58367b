import type { HeaderList, HeaderPairs } from '../../http1/header-list.ts';

/** Load balancers set short ones. */
const MAX_COOKIE_LENGTH = 4096;

/**
 * The cookies an answer sets, as they are sent back. Behind a load balancer every indexer counts acknowledgements from
 * zero, so that they must be asked for where the events went.
 */
export function affinityCookie(headers: HeaderList): string {
  const pairs = headers.all('set-cookie').map((field) => field.split(';', 1)[0]!.trim());
  const cookie = pairs.filter((pair) => /^[^\s=;,]+=[^\s;]*$/.test(pair)).join('; ');
  return cookie.length <= MAX_COOKIE_LENGTH ? cookie : '';
}

/** The same fields, the cookie put behind any that are configured. */
export function withCookie(headers: HeaderPairs, cookie: string): HeaderPairs {
  if (cookie === '') return headers;
  const index = headers.findIndex((name, at) => at % 2 === 0 && name.toLowerCase() === 'cookie');
  if (index < 0) return [...headers, 'Cookie', cookie];
  return headers.with(index + 1, `${headers[index + 1]}; ${cookie}`);
}
