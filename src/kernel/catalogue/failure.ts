import { Refusal } from '../../http1/refusals.ts';
import { Fault } from '../faults.ts';
import { type Failure, failureOfRefusal } from '../problem.ts';

/** What a thrown thing tells the client; undefined for errors nobody foresaw. */
export function failureOf(error: unknown): Failure | undefined {
  if (error instanceof Refusal) return failureOfRefusal(error);
  if (!(error instanceof Fault)) return undefined;
  const { key, status, title, message: detail, values, headers } = error;
  return { key, status, title, detail, values, headers };
}
