import { UsageError } from '../kernel/options.ts';
import type { LogIndexClientOptions } from './log-index-caller.ts';

/** The address of a log index as the settings of the platform name it: `https://user:password@host:9200`. */
export function logIndexAddress(text: string): Pick<LogIndexClientOptions, 'url' | 'user' | 'password'> {
  const url = URL.parse(text);
  // It is not repeated: it may hold a password.
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    throw new UsageError('the log-index URL must be http://[user:password@]host:port or https://…');
  const { protocol, host, pathname, username, password } = url;
  return {
    url: `${protocol}//${host}${pathname === '/' ? '' : pathname}`,
    ...(username !== '' && {
      user: decodeURIComponent(username),
      password: decodeURIComponent(password),
    }),
  };
}
