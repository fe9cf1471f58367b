import { randomBytes } from 'node:crypto';

const COUNTER_RANGE = 2 ** 24;

/** Ids of 24 hex digits that grow with the time, and within one process with every call. */
export function growingIds(now: () => number): () => string {
  const process = randomBytes(3).toString('hex');
  let counter = 0;
  let lastMs = 0;
  return () => {
    counter = (counter + 1) % COUNTER_RANGE;
    // A counter that begins again, or a clock that is set back, must not put a new record before an old one.
    lastMs = Math.max(now(), counter === 0 ? lastMs + 1 : lastMs);
    return `${hex(lastMs, 12)}${process}${hex(counter, 6)}`;
  };
}

function hex(number: number, digits: number): string {
  return number.toString(16).padStart(digits, '0');
}
