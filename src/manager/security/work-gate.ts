import { fault } from '../../kernel/faults.ts';

export interface WorkGateOptions {
  /** How much runs at the same time. */
  readonly maxRunning: number;
  /** How much may wait for its turn; the rest is turned away. */
  readonly maxWaiting: number;
}

/** Lets only so much costly work run at once; the rest waits in line, and the line has an end. */
export class WorkGate {
  readonly #options: WorkGateOptions;
  readonly #waiting: Array<() => void> = [];
  #running = 0;

  constructor(options: WorkGateOptions) {
    this.#options = options;
  }

  async pass<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.#enter();
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  #enter(): Promise<void> | undefined {
    const { maxRunning, maxWaiting } = this.#options;
    if (this.#running < maxRunning) {
      this.#running++;
      return undefined;
    }
    if (this.#waiting.length >= maxWaiting) throw fault('sign-in.busy', {}, ['Retry-After', '1']);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** The place goes to the next in line, so that nobody can come between. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#running--;
  }
}
