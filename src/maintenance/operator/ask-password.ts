import { exitCodes } from './exit-codes.ts';
import type { OperatorConsole } from './operator-console.ts';
import { OperatorFailure } from './operator-failure.ts';

export interface PasswordQuestion {
  readonly user: string;
  /** How it is given beforehand, such as `ES_PASS`: told where nobody can be asked. */
  readonly givenBy: string;
  readonly signal: AbortSignal;
}

/** A user of the index without a password is asked for it. No answer cancels: it would only be refused. */
export async function askPassword(
  console: OperatorConsole,
  { user, givenBy, signal }: PasswordQuestion,
): Promise<string> {
  if (!console.canAsk)
    throw new OperatorFailure(
      `ES_USER is set and there is no password: set ${givenBy}, standard input is no terminal`,
      exitCodes.configuration,
    );
  const password = await console.ask(`Password of ${user}: `, { isSecret: true, signal });
  if (!password) throw new OperatorFailure('cancelled: there is no password; nothing was changed');
  return password;
}
