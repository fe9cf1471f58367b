import { OperatorFailure } from './operator-failure.ts';

export interface Interruption extends Disposable {
  /** Aborts with the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
}

/** A terminal signals the whole process group, and whoever started us may pass the same signal on. */
const SAME_SIGNAL_MS = 1000;

/** Watches for Ctrl-C until it is disposed of. The first is an orderly end; another, later one ends the process at once. */
export function watchInterruption(onFirst: () => void): Interruption {
  const controller = new AbortController();
  let firstAtMs: number | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    const nowMs = performance.now();
    if (firstAtMs === undefined) {
      firstAtMs = nowMs;
      onFirst();
      controller.abort(new OperatorFailure(`interrupted by ${signal}`));
    } else if (nowMs - firstAtMs > SAME_SIGNAL_MS) process.exit(signal === 'SIGINT' ? 130 : 143);
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
    },
  };
}

/** The promise, unless the interruption comes first: it then fails with the interruption, and is left to itself. */
export function unlessInterrupted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
