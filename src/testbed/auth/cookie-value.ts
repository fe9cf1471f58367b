import type { HeaderList } from '../../http1/header-list.ts';

/** The value of the first cookie of that name. */
export function cookieValue(headers: HeaderList, name: string): string | undefined {
  for (const pair of (headers.get('cookie') ?? '').split(';')) {
    const equalsAt = pair.indexOf('=');
    if (equalsAt >= 0 && pair.slice(0, equalsAt).trim() === name) return pair.slice(equalsAt + 1).trim();
  }
  return undefined;
}
