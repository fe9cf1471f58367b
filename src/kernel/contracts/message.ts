import type { Failure } from '../problem.ts';

/** What a failure says to the client. What nobody foresaw is told in the log alone. */
export function messageOf({ status, detail }: Failure): string {
  return status === 500 ? 'An unexpected error occurred' : detail;
}
