import { setImmediate as immediate } from 'node:timers/promises';

/** Longer than this nobody may hold the event loop: SQLite is synchronous. */
const TURN_MS = 8;

/** Lets everybody else have their turn. */
export async function nextTurn(): Promise<void> {
  await immediate();
}

/** True once a turn that began at this `performance.now()` is long enough. */
export function isTurnOver(beganAt: number): boolean {
  return performance.now() - beganAt >= TURN_MS;
}
