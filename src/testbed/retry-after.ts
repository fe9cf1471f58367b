import { Type } from 'typebox';
import type { Clock } from '../kernel/clock.ts';

const DATE_IN_SECONDS = 30;

/** A query parameter that chooses the form of Retry-After (RFC 9110 §10.2.3). */
export const retryAfterParameter = (options: object = {}) =>
  Type.String({
    pattern: '^([0-9]{1,6}|date)$',
    description: `Retry-After of the answer: seconds, or \`date\` for the same as an HTTP date.`,
    ...options,
  });

/** The field for `?retryAfter=`; a date lies `seconds` ahead. */
export function retryAfterHeader(choice: string, clock: Clock, seconds = DATE_IN_SECONDS): string[] {
  if (choice !== 'date') return ['Retry-After', choice];
  return ['Retry-After', new Date(clock.now() + seconds * 1000).toUTCString()];
}
