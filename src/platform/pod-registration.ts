import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { Store } from '../store/contract.ts';
export async function keepRegistered(
  _store: Store,
  _pod: object,
  _o: { clock: Clock; log: Log },
): Promise<AsyncDisposable> {
  return { [Symbol.asyncDispose]: async () => {} };
}
