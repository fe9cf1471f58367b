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

/** Resolves with the first SIGINT or SIGTERM. A second one ends the process at once. */
export function untilSignalled(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(signal === 'SIGINT' ? 130 : 143));
        resolve(signal);
      });
    }
  });
}
