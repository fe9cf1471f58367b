/** What the exit code of a maintenance command tells: the same of every one. */
export const exitCodes = {
  /** Done, or there was nothing to do. */
  done: 0,
  /** Cancelled, or something outside stands in the way; the same command may do later. */
  failed: 1,
  /** The operator must write the command differently. */
  configuration: 2,
  /** Some of it is, or may be, done, and some is not. */
  partlyDone: 3,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** For help texts; what is left undone is of the command. */
export function exitCodesText(partlyDone: string): string {
  return `Exit codes:
  ${exitCodes.done}  done, or nothing to do
  ${exitCodes.failed}  cancelled or failed, and nothing was changed: no answer yes, the index cannot be reached, refuses the user,
     has no such index or stream, or a block of it stands in the way
  ${exitCodes.configuration}  a setting is wrong or missing, or names something else than it should; also no terminal to ask on
  ${exitCodes.partlyDone}  partly done: ${partlyDone}
`;
}
