import type { Clock } from '../../kernel/clock.ts';
import type { LogIndexClient } from '../../log-index/client.ts';
import { LogIndexFailure } from '../../log-index/log-index-failure.ts';
import type { BlockJournal } from './block-journal.ts';
import { isPassing } from './failure-text.ts';

const RESTORE_ATTEMPTS = 6;
const RESTORE_PAUSE_MS = 500;

/**
 * The write block of an index while it is out of the way. From the line in the journal until the block is there again, whoever
 * finds the journal knows that the block belongs back.
 */
export class WriteBlock {
  readonly #client: LogIndexClient;
  readonly #index: string;
  readonly #journal: BlockJournal;
  readonly #clock: Clock;

  constructor(client: LogIndexClient, index: string, journal: BlockJournal, clock: Clock) {
    this.#client = client;
    this.#index = index;
    this.#journal = journal;
    this.#clock = clock;
  }

  /** An earlier run lifted it and never came to restore it. */
  get isLeftLifted(): boolean {
    return this.#journal.isWritten;
  }

  async lift(): Promise<void> {
    this.#journal.write();
    await this.#client.changeSettings(this.#index, { 'index.blocks.write': false });
  }

  /** As it was: set. Tried for a while, because an index that stays open is worse than a run that ends late. */
  async restore(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#set();
        break;
      } catch (error) {
        if (attempt === RESTORE_ATTEMPTS || !isPassing(error)) throw error;
      }
      await this.#clock.sleep(RESTORE_PAUSE_MS * 2 ** (attempt - 1));
    }
    this.#journal.remove();
  }

  async #set(): Promise<void> {
    try {
      await this.#client.blockWrites(this.#index);
    } catch (error) {
      // Engines before 7.9 have no such call.
      if (!(error instanceof LogIndexFailure) || !['refused', 'not-found'].includes(error.kind)) throw error;
      await this.#client.changeSettings(this.#index, { 'index.blocks.write': true });
    }
    const settings = (await this.#client.settings(this.#index)).get(this.#index);
    if (settings?.['index.blocks.write'] !== 'true')
      throw new LogIndexFailure('failed', 'the write block was set, but is not there');
  }
}
