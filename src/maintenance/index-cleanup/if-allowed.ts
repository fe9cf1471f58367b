import { LogIndexFailure } from '../../log-index/log-index-failure.ts';

const FORBIDDEN = 403;

/** What is good to know, but not needed: undefined when the user may not see it. Who may clean an index need not be who looks after the engine. */
export async function ifAllowed<Value>(call: Promise<Value>): Promise<Value | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof LogIndexFailure && error.kind === 'unauthorised' && error.status === FORBIDDEN)
      return undefined;
    throw error;
  }
}
