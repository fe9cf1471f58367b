import type { Clock } from '../../../kernel/clock.ts';
import type { Log } from '../../../kernel/log.ts';
import type { Journals } from './journals.ts';

const HOUR_MS = 60 * 60 * 1000;

/** Removes old rows of all journals until the signal aborts; pods write some of them, and never look back. */
export async function pruneHourly(
  journals: Pick<Journals, 'pruneAll'>,
  {
    clock,
    log,
    signal,
  }: { readonly clock: Clock; readonly log: Pick<Log, 'warn'>; readonly signal: AbortSignal },
): Promise<void> {
  for (;;) {
    await clock.sleep(HOUR_MS, signal).catch(() => undefined);
    if (signal.aborted) return;
    try {
      await journals.pruneAll();
    } catch (err) {
      log.warn({ event: 'journal.prune.failed', err });
    }
  }
}
