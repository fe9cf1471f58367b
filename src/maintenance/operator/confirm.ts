import { exitCodes } from './exit-codes.ts';
import type { OperatorConsole } from './operator-console.ts';
import { OperatorFailure } from './operator-failure.ts';

export interface Confirmation {
  /** Stands before the question. */
  readonly about?: string;
  /** The operator agreed beforehand. */
  readonly isGiven: boolean;
  /** How that is done, such as `SKIP_CONFIRM=true`: told where nobody can be asked. */
  readonly givenBy: string;
  readonly signal?: AbortSignal;
}

/** Without an operator at the terminal there is no waiting for an answer that cannot come. */
export function refuseUnlessAnswerable(console: OperatorConsole, { isGiven, givenBy }: Confirmation): void {
  if (isGiven || console.canAsk) return;
  throw new OperatorFailure(
    `nobody can be asked for confirmation: standard input is no terminal; set ${givenBy} to go on without asking`,
    exitCodes.configuration,
  );
}

/** Only the exact answer yes agrees; anything else, and the end of the input, cancels. */
export async function confirm(console: OperatorConsole, confirmation: Confirmation): Promise<void> {
  refuseUnlessAnswerable(console, confirmation);
  const { isGiven, about = '', signal } = confirmation;
  if (isGiven) return;
  const answer = await console.ask(`${about}Type 'yes' to continue: `, signal ? { signal } : {});
  if (answer !== 'yes') throw new OperatorFailure('cancelled; nothing was changed');
}
