import type { HeaderList } from '../../http1/header-list.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Deadline } from './call.ts';
import { grpcError } from './status.ts';

/** The field by which a client asks for a server that does not keep its deadline. */
const IGNORE_FIELD = 'x-test-ignore-deadline';

const unitMs: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1_000,
  m: 1,
  u: 1e-3,
  n: 1e-6,
};

export function deadlineOf(headers: HeaderList, nowMs: number): Deadline | undefined {
  const field = headers.first('grpc-timeout');
  if (field === undefined) return undefined;
  const timeoutMs = parseTimeout(field);
  return { field, timeoutMs, atMs: nowMs + timeoutMs, isKept: !headers.has(IGNORE_FIELD) };
}

/** Milliseconds of a grpc-timeout field: at most eight digits and a unit. */
export function parseTimeout(field: string): number {
  const match = /^(\d{1,8})([HMSmun])$/.exec(field);
  if (!match) throw grpcError('INTERNAL', `grpc-timeout ${JSON.stringify(field)} is malformed`);
  return Number(match[1]) * unitMs[match[2]!]!;
}

/** Does the work, or rejects with DEADLINE_EXCEEDED as soon as the deadline passes. */
export async function withinDeadline(
  deadline: Deadline | undefined,
  clock: Clock,
  clientSignal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  if (!deadline?.isKept) return work(clientSignal);
  const late = new AbortController();
  const finished = new AbortController();
  const passing = clock.sleep(deadline.timeoutMs, finished.signal).then(() => {
    const error = grpcError('DEADLINE_EXCEEDED', `the deadline of ${deadline.field} has passed`);
    late.abort(error);
    throw error;
  });
  const working = work(AbortSignal.any([clientSignal, late.signal]));
  // Whichever is not waited for any more fails unheard.
  passing.catch(() => {});
  working.catch(() => {});
  try {
    await Promise.race([working, passing]);
  } finally {
    finished.abort();
  }
}
