/** Time as a dependency, so that tests move it instead of waiting. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after the given time; rejects with the signal's reason when it aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

// setTimeout fires at once for anything longer than a signed 32-bit number of milliseconds.
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const wakeUp = () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      };
      const timer = setTimeout(() => takeTurn(wakeUp), Math.min(Math.max(ms, 0), LONGEST_TIMER_MS));
      const onAbort = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
    }),
};

/**
 * Sleepers that began together wake together: a thousand slow clients would hold up everybody else for as long as all
 * their next chunks take. So only some are woken in a turn of the event loop, and whatever came in meanwhile is served
 * between two turns.
 */
const MOST_WAKE_UPS_A_TURN = 16;
const waiting: Array<() => void> = [];
let nextWaiting = 0;

function takeTurn(wakeUp: () => void): void {
  if (waiting.push(wakeUp) === 1) setImmediate(wakeSome);
}

function wakeSome(): void {
  const end = Math.min(nextWaiting + MOST_WAKE_UPS_A_TURN, waiting.length);
  while (nextWaiting < end) waiting[nextWaiting++]!();
  if (nextWaiting < waiting.length) {
    setImmediate(wakeSome);
    return;
  }
  waiting.length = 0;
  nextWaiting = 0;
}
