/** What the exit code of a maintenance command tells. */
export const exitCodes = {
  /** Done, or there was nothing to do. */
  done: 0,
  /** Cancelled or failed. */
  failed: 1,
  /** A setting is wrong or missing; nothing was tried. */
  configuration: 2,
  /** Some of it is done, some is not. */
  partlyDone: 3,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
