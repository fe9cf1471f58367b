/** Something that runs until it is told to stop. */
export interface Service {
  /** What the line `ready <module> <url>` names. */
  readonly module: string;
  readonly url: string;
  /** What starts behind: resolves with what the line `ready …` then says. */
  readonly background?: Promise<string> | undefined;
  /** Resolves when everything has ended or was cut off at the service's own deadline. */
  stop(): Promise<void>;
}

/** A launcher passes on the Ctrl-C that the terminal gave to both of them: so soon after the first it is no second one. */
const SAME_SIGNAL_MS = 1000;

/** Resolves with the first SIGINT or SIGTERM. A second one ends the process at once. */
export function untilSignalled(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let firstAtMs: number | undefined;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        firstAtMs ??= performance.now();
        if (performance.now() - firstAtMs > SAME_SIGNAL_MS) process.exit(signal === 'SIGINT' ? 130 : 143);
        resolve(signal);
      });
    }
  });
}
