import { type ExitCode, exitCodes } from './exit-codes.ts';

/** An end that is told to the operator in one line, with the exit code that fits. */
export class OperatorFailure extends Error {
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = exitCodes.failed, cause?: unknown) {
    super(message, { cause });
    this.name = 'OperatorFailure';
    this.exitCode = exitCode;
  }
}
