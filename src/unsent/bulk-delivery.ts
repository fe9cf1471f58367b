import type { Clock } from '../kernel/clock.ts';
import type { LogIndexClient } from '../log-index/client.ts';
import type { BulkItemAnswer } from '../log-index/client-answers.ts';
import { LogIndexFailure } from '../log-index/log-index-failure.ts';
import { bulkBody, bulkBytes, type PreparedRecord } from './prepared-record.ts';

/** What became of a record. Who is refused or incomplete stays in the collection. */
export type Outcome =
  | { readonly kind: 'delivered' }
  /** It was in the stream already. */
  | { readonly kind: 'duplicate' }
  /** The index will never take it. */
  | { readonly kind: 'refused'; readonly reason: string };

export interface BatchOutcome {
  /** By the id of the document; a record that is not in it was not delivered as far as anybody knows. */
  readonly outcomes: ReadonlyMap<string, Outcome>;
  /** Why the target takes no more. */
  readonly failure: LogIndexFailure | undefined;
}

export interface BulkDeliveryOptions {
  readonly index: Pick<LogIndexClient, 'bulk' | 'search' | 'refresh'>;
  readonly stream: string;
  readonly clock: Clock;
  readonly attempts?: number;
  readonly backoffMs?: number;
  readonly deadlineMs?: number;
  /** Ends waiting between two attempts; a call that runs comes to its end. */
  readonly signal?: AbortSignal;
  readonly onRetry?: (records: number, reason: string) => void;
}

const IDS_A_SEARCH = 1000;
/** Beyond one hit for each id, in case that somebody doubled some before us. */
const LARGEST_WINDOW = 10_000;
const LONGEST_BACKOFF_MS = 10_000;
/** Nobody knows whether the call took effect, or it certainly did not: it is worth another attempt. */
const passing = new Set(['unreachable', 'lost', 'timeout', 'busy']);

/** Creates documents in a data stream, each at most once, however often it is tried. */
export class BulkDelivery {
  readonly #index: BulkDeliveryOptions['index'];
  readonly #options: BulkDeliveryOptions;
  readonly #attempts: number;
  readonly #backoffMs: number;
  readonly #deadlineMs: number;
  #buffer: Buffer<ArrayBuffer> | undefined;

  constructor(options: BulkDeliveryOptions) {
    this.#index = options.index;
    this.#options = options;
    this.#attempts = options.attempts ?? 6;
    this.#backoffMs = options.backoffMs ?? 500;
    this.#deadlineMs = options.deadlineMs ?? 120_000;
  }

  /**
   * Which of the ids are in the stream. An id is unique within one backing index only, and `create` asks the newest alone: after
   * a rollover it would let an id in a second time.
   */
  async present(ids: readonly string[]): Promise<Set<string>> {
    const found = new Set<string>();
    for (let from = 0; from < ids.length; from += IDS_A_SEARCH) {
      const values = ids.slice(from, from + IDS_A_SEARCH);
      const { hits, _shards } = await this.#index.search(this.#options.stream, {
        query: { ids: { values } },
        _source: false,
        track_total_hits: false,
        size: LARGEST_WINDOW,
      });
      // What a shard that did not answer holds, nobody knows.
      if (_shards.failed > 0)
        throw new LogIndexFailure('failed', `${_shards.failed} shards of ${this.#options.stream} failed`);
      for (const { _id } of hits.hits) found.add(_id);
    }
    return found;
  }

  /** Whatever was written before can be found from now on. */
  async begin(): Promise<void> {
    await this.#index.refresh(this.#options.stream);
  }

  async deliver(records: readonly PreparedRecord[]): Promise<BatchOutcome> {
    const outcomes = new Map<string, Outcome>();
    try {
      const known = await this.present(records.map(({ record }) => record.id));
      for (const id of known) outcomes.set(id, { kind: 'duplicate' });
      await this.#create(remaining(records, outcomes), outcomes);
      return { outcomes, failure: undefined };
    } catch (error) {
      if (!(error instanceof LogIndexFailure)) throw error;
      return { outcomes, failure: error };
    }
  }

  /** Rejects when the target takes no more; what it took until then stands in the outcomes. */
  async #create(records: readonly PreparedRecord[], outcomes: Map<string, Outcome>): Promise<void> {
    let waiting = records;
    for (let attempt = 1; waiting.length > 0; attempt++) {
      const failure = await this.#attempt(waiting, outcomes);
      waiting = remaining(waiting, outcomes);
      if (waiting.length === 0) return;
      if (failure && isTooMuch(failure)) return this.#createHalves(waiting, outcomes, failure);
      if (failure && !passing.has(failure.kind)) throw failure;
      const reason = failure ?? new LogIndexFailure('busy', 'the index refused documents for being busy');
      if (attempt >= this.#attempts) throw reason;
      this.#options.onRetry?.(waiting.length, reason.message);
      await this.#pause(attempt, reason);
      if (failure?.isRequestSent) await this.#lookUp(waiting, outcomes);
      waiting = remaining(waiting, outcomes);
    }
  }

  /** Resolves with the failure of the whole call; what it says of single documents goes into the outcomes. */
  async #attempt(
    records: readonly PreparedRecord[],
    outcomes: Map<string, Outcome>,
  ): Promise<LogIndexFailure | undefined> {
    const body = this.#bodyOf(records);
    try {
      const { items } = await this.#index.bulk(this.#options.stream, body, { deadlineMs: this.#deadlineMs });
      if (items.length !== records.length)
        return new LogIndexFailure('malformed', 'the index did not answer for each document');
      let block: LogIndexFailure | undefined;
      for (const [at, { record }] of records.entries()) {
        const item = items[at]!.create;
        const outcome = item && item._id === record.id ? outcomeOf(item) : undefined;
        if (outcome instanceof LogIndexFailure) block ??= outcome;
        else if (outcome) outcomes.set(record.id, outcome);
      }
      return block;
    } catch (error) {
      // Parts of it may still be on their way.
      this.#buffer = undefined;
      if (error instanceof LogIndexFailure) return error;
      throw error;
    }
  }

  /** One buffer for all of them: a new one each time would pile up until the garbage is collected. */
  #bodyOf(records: readonly PreparedRecord[]): Buffer {
    const bytes = bulkBytes(records);
    if (!this.#buffer || this.#buffer.length < bytes) this.#buffer = Buffer.allocUnsafeSlow(bytes);
    return bulkBody(records, this.#buffer);
  }

  /** The call may have taken effect although no answer came: whatever is found was delivered. */
  async #lookUp(records: readonly PreparedRecord[], outcomes: Map<string, Outcome>): Promise<void> {
    await this.#index.refresh(this.#options.stream);
    for (const id of await this.present(records.map(({ record }) => record.id)))
      outcomes.set(id, { kind: 'delivered' });
  }

  /** A request that is too large, or refused as a whole, is cut until the record is found that is to blame. */
  async #createHalves(
    records: readonly PreparedRecord[],
    outcomes: Map<string, Outcome>,
    failure: LogIndexFailure,
  ): Promise<void> {
    if (records.length === 1) {
      outcomes.set(records[0]!.record.id, { kind: 'refused', reason: failure.message });
      return;
    }
    const middle = Math.ceil(records.length / 2);
    await this.#create(records.slice(0, middle), outcomes);
    await this.#create(records.slice(middle), outcomes);
  }

  async #pause(attempt: number, failure: LogIndexFailure): Promise<void> {
    const ms = Math.min(this.#backoffMs * 2 ** (attempt - 1), LONGEST_BACKOFF_MS);
    try {
      await this.#options.clock.sleep(ms, this.#options.signal);
    } catch {
      // Who is asked to end waits no longer: what is not delivered stays.
      throw failure;
    }
  }
}

function remaining(
  records: readonly PreparedRecord[],
  outcomes: ReadonlyMap<string, Outcome>,
): PreparedRecord[] {
  return records.filter(({ record }) => !outcomes.has(record.id));
}

function isTooMuch({ kind, status }: LogIndexFailure): boolean {
  return status === 413 || kind === 'refused';
}

/** Undefined: try this one again. A failure: the target takes no documents at all. */
function outcomeOf({ status, error, _shards }: BulkItemAnswer): Outcome | LogIndexFailure | undefined {
  if (status === 409) return { kind: 'duplicate' };
  if (status < 300) return deliveredTo(_shards);
  const reason = [error?.reason, error?.caused_by?.reason].filter((text) => text).join(': ');
  if (error?.type === 'cluster_block_exception')
    return new LogIndexFailure('blocked', reason, { status, type: error.type });
  if (status === 429 || status === 503) return undefined;
  if (status === 400) return { kind: 'refused', reason: reason || 'the index refused it' };
  return new LogIndexFailure('failed', reason || `the index answered with status ${status}`, { status });
}

/** The specification's "equal to 1" is the case without replicas (spec 2 §4.7 step 5). */
function deliveredTo(shards: BulkItemAnswer['_shards']): Outcome {
  if (shards && shards.successful >= 1 && shards.failed === 0) return { kind: 'delivered' };
  return { kind: 'refused', reason: `${shards?.failed ?? 'unknown'} of its shards failed` };
}
