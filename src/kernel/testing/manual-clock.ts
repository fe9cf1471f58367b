import type { Clock } from '../clock.ts';

interface Sleeper {
  readonly wakesAtMs: number;
  readonly wake: () => void;
}

/** A clock that stands still until a test moves it. */
export class ManualClock implements Clock {
  #nowMs: number;
  readonly #sleepers = new Set<Sleeper>();

  constructor(nowMs = Date.UTC(2026, 0, 1)) {
    this.#nowMs = nowMs;
  }

  now(): number {
    return this.#nowMs;
  }

  /** How many wait at the moment. */
  get sleeperCount(): number {
    return this.#sleepers.size;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const onAbort = () => {
        this.#sleepers.delete(sleeper);
        reject(signal?.reason);
      };
      const sleeper = {
        wakesAtMs: this.#nowMs + ms,
        wake: () => {
          this.#sleepers.delete(sleeper);
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      this.#sleepers.add(sleeper);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Moves the time on and wakes whoever is due, the earliest first. */
  advance(ms: number): void {
    this.#nowMs += ms;
    const due = [...this.#sleepers].filter(({ wakesAtMs }) => wakesAtMs <= this.#nowMs);
    for (const { wake } of due.sort((one, other) => one.wakesAtMs - other.wakesAtMs)) wake();
  }
}
