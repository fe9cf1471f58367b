import { openUnsentSource, type UnsentSourceOptions } from '../store/unsent/open-unsent-source.ts';
import type { UnsentRecord, UnsentRecords, UnsentSource } from '../store/unsent/unsent-records.ts';
import type { UnsentSink } from './delivery-event.ts';

/** Where records are put that could not be delivered. Rejects when they could not be put there. */
export interface UnsentRecordKeeper {
  append(records: readonly UnsentRecord[]): Promise<void>;
}

interface OpenedRecords {
  readonly source: UnsentSource;
  readonly records: UnsentRecords;
}

/** One write must not hold up the end of a pod. */
const WRITE_MS = 5000;

/** Unsent records in the platform database, which is opened for them once there are some. */
export class StoredUnsentRecords implements UnsentRecordKeeper {
  readonly #options: UnsentSourceOptions;
  #opening: Promise<OpenedRecords> | undefined;

  constructor(options: UnsentSourceOptions) {
    this.#options = { deadlineMs: WRITE_MS, ...options };
  }

  async append(records: readonly UnsentRecord[]): Promise<void> {
    this.#opening ??= this.#open();
    await (await this.#opening).records.append(records);
  }

  async close(): Promise<void> {
    const opened = await this.#opening?.catch(() => undefined);
    await opened?.source[Symbol.asyncDispose]();
  }

  async #open(): Promise<OpenedRecords> {
    try {
      const source = await openUnsentSource(this.#options);
      if (!source) throw new Error('the data folder holds no platform database');
      return { source, records: source.records('UnsentMessage') };
    } catch (error) {
      // Whoever comes next tries again.
      this.#opening = undefined;
      throw error;
    }
  }
}

/** Keeps what a log connector could not deliver. */
export function unsentSinkOf(connectorId: string, records: UnsentRecordKeeper): UnsentSink {
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
