import {
  MongoBulkWriteError,
  MongoDriverError,
  MongoNetworkError,
  MongoServerError,
  MongoServerSelectionError,
  MongoSystemError,
} from 'mongodb';
import { StoreUnavailable } from '../contract.ts';

/**
 * What a server says when it cannot do the work now: shutting down, stepping down, not (yet) primary, out of time,
 * not enough members to acknowledge.
 */
const SERVER_IS_AWAY = new Set([
  6, 7, 50, 64, 89, 91, 100, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436,
]);

/** Calls to the server: none lasts longer than the deadline, and an absent server is told apart from a wrong call. */
export class MongoCalls {
  readonly deadlineMs: number;

  constructor(deadlineMs: number) {
    this.deadlineMs = deadlineMs;
  }

  /** The driver has a limit for each of its stages; this one is for all of them together. */
  async call<Result>(act: () => Promise<Result>): Promise<Result> {
    const { promise: outOfTime, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new StoreUnavailable()), this.deadlineMs);
    try {
      return await Promise.race([act(), outOfTime]);
    } catch (error) {
      throw isAway(error) ? new StoreUnavailable({ cause: error }) : error;
    } finally {
      clearTimeout(timer);
    }
  }
}

function isAway(error: unknown): boolean {
  // What befell a batch is wrapped, also when it never reached the server.
  if (error instanceof MongoBulkWriteError && error.errorResponse instanceof Error)
    return isAway(error.errorResponse);
  if (error instanceof MongoServerError) return SERVER_IS_AWAY.has(Number(error.code));
  return (
    error instanceof MongoNetworkError ||
    error instanceof MongoServerSelectionError ||
    error instanceof MongoSystemError ||
    // Closed clients, cleared pools and full queues are errors of the driver with names of their own.
    (error instanceof MongoDriverError && /Closed|NotConnected|Pool|Timeout|Expired/.test(error.name))
  );
}
