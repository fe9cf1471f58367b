import type { HeaderList } from '../../http1/header-list.ts';
import { cookiePairs, cookieText } from '../content/cookies.ts';

/** The text of the first cookie of that name. */
export function cookieValue(headers: HeaderList, name: string): string | undefined {
  const sent = cookiePairs(headers).find(([key]) => key === name)?.[1];
  return sent === undefined ? undefined : cookieText(sent);
}
