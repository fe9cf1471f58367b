import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { journalCollection, type StoredJournalRow } from '../model/journal.ts';
import type { Store } from '../store/contract.ts';

export interface HeapDumpJournalOptions {
  readonly store: Store;
  /** The module it comes from. */
  readonly source: string;
  readonly environmentName: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Writes into the message journal, where operators of the whole platform look. Never rejects. */
export function heapDumpJournal(options: HeapDumpJournalOptions): (text: string) => Promise<void> {
  const { store, source, environmentName, clock, log } = options;
  const messages = store.collection<StoredJournalRow>(journalCollection('message'));
  return async (text) => {
    try {
      await messages.insert({ at: clock.now(), level: 'WARN', source, text, environmentName });
    } catch (err) {
      log.warn({ event: 'journal.not-written', journal: 'message', err });
    }
  };
}
