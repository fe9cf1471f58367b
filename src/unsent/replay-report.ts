import type { ReplayResult } from './replay.ts';
import type { ReplayCounters, ReplayOrder } from './replay-checkpoint.ts';

/** What a replay says of itself while it has the turn, and what stays of it afterwards. */
export interface ReplayReport extends ReplayCounters {
  readonly state: 'RUNNING' | 'FINISHED' | 'CANCELLED' | 'FAILED';
  /** The user who asked for it, or the name of the command. */
  readonly startedBy: string;
  readonly startedAt: string;
  readonly collection: string;
  readonly stream: string;
  readonly total: number;
  /** Why it failed. */
  readonly message?: string;
}

export type ReplayStart = Pick<ReplayReport, 'startedBy' | 'startedAt'>;

export function runningReport(
  start: ReplayStart,
  { collection, stream, limit }: ReplayOrder,
  counters: ReplayCounters,
): ReplayReport {
  return { state: 'RUNNING', ...start, collection, stream, total: limit, ...counters };
}

const states = { finished: 'FINISHED', cancelled: 'CANCELLED', failed: 'FAILED' } as const;

export function finalReport(running: ReplayReport, { end, counters, failure }: ReplayResult): ReplayReport {
  return { ...running, ...counters, state: states[end], ...(failure && { message: failure.message }) };
}
