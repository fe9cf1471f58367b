import { type Answer, isWire } from '../kernel/catalogue/answer.ts';
import type { AnswerContext } from '../kernel/catalogue/dispatcher.ts';

/** Nothing of the Manager is meant to be guessed at, framed or told to other sites. */
const EVERYWHERE = [
  'X-Content-Type-Options',
  'nosniff',
  'Referrer-Policy',
  'no-referrer',
  'Cross-Origin-Resource-Policy',
  'same-origin',
];
const POLICY = ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"];
const NOT_KEPT = ['Cache-Control', 'no-store'];

/** The last hand on every answer of the Manager: the header fields that keep browsers from doing harm with it. */
export function finishAnswer({ request }: AnswerContext<unknown>, answer: Answer): Answer {
  if (isWire(answer)) return answer;
  const { headers } = answer;
  headers.push(...EVERYWHERE);
  if (!has(headers, 'content-security-policy')) headers.push(...POLICY);
  if (request.rawPath.startsWith('/apiops') && !has(headers, 'cache-control')) headers.push(...NOT_KEPT);
  return answer;
}

function has(headers: readonly string[], lowerName: string): boolean {
  return headers.some((text, index) => index % 2 === 0 && text.toLowerCase() === lowerName);
}
