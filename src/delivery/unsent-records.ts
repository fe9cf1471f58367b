import type { Collection, Store } from '../store/contract.ts';
import type { UnsentSink } from './delivery-event.ts';

/** A record that could not be delivered, as it waits for being replayed (spec 2 §2.5). */
interface UnsentRecord {
  /** When the record was made, ISO 8601. */
  readonly log_timestamp: string;
  readonly connector_id: string;
  /** The record itself: JSON text that holds `aci`. */
  readonly content: string;
}

/** Where unsent records are put. */
export interface UnsentRecords {
  append(records: readonly UnsentRecord[]): Promise<void>;
}

/** In the platform database. */
export class StoredUnsentRecords implements UnsentRecords {
  readonly #collection: Collection<UnsentRecord>;

  constructor(store: Store) {
    this.#collection = store.collection<UnsentRecord>({ name: 'UnsentMessage', unique: [], indexed: [] });
  }

  append(records: readonly UnsentRecord[]): Promise<void> {
    return this.#collection.insertMany(records);
  }
}

/** Keeps what a log connector could not deliver. */
export function unsentSinkOf(connectorId: string, records: UnsentRecords): UnsentSink {
  return {
    keep: (events) =>
      records.append(
        events.map(({ content, timeMs }) => ({
          log_timestamp: new Date(timeMs).toISOString(),
          connector_id: connectorId,
          content,
        })),
      ),
  };
}
