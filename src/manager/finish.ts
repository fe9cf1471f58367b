import { type Answer, isWire } from '../kernel/catalogue/answer.ts';
import type { AnswerContext } from '../kernel/catalogue/dispatcher.ts';

/** Nothing of the Manager is meant to be guessed at, framed or told to other sites. */
const SAME_SITE = ['Cross-Origin-Resource-Policy', 'same-origin'];
const CLOSED = [
  ...SAME_SITE,
  'X-Content-Type-Options',
  'nosniff',
  'Referrer-Policy',
  'no-referrer',
  'Content-Security-Policy',
  "default-src 'none'; frame-ancestors 'none'",
];

/** The last hand on every answer of the Manager: the header fields that keep browsers from doing harm with it. */
export function finishAnswer({ request }: AnswerContext<unknown>, answer: Answer): Answer {
  if (isWire(answer)) return answer;
  const { headers } = answer;
  // The documentation page brings its own policy, and what belongs to it.
  headers.push(...(has(headers, 'Content-Security-Policy') ? SAME_SITE : CLOSED));
  if (request.rawPath.startsWith('/apiops') && !has(headers, 'Cache-Control'))
    headers.push('Cache-Control', 'no-store');
  return answer;
}

/** Handlers write the names as they are written here. */
function has(headers: readonly string[], name: string): boolean {
  for (let index = 0; index < headers.length; index += 2) if (headers[index] === name) return true;
  return false;
}
