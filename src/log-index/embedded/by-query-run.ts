import type { Clock } from '../../kernel/clock.ts';
import type { ByQueryRequest } from './by-query-request.ts';
import { type Candidate, Candidates } from './candidates.ts';
import { cleanedSource } from './cleaned-source.ts';
import { EngineError, errorCause, indexNotFound } from './engine-error.ts';
import type { StoredDocument } from './index-file.ts';
import { blockedBy } from './index-settings.ts';
import type { LogIndex } from './log-index.ts';
import { isTurnOver, nextTurn } from './next-turn.ts';
import { compileQuery } from './query.ts';

export interface ByQueryFailure {
  readonly index: string;
  readonly id: string;
  readonly cause: object;
  readonly status: number;
}

/** The counters of a run, in the words of the wire. */
export interface ByQueryStatus {
  readonly total: number;
  readonly updated: number;
  readonly created: number;
  readonly deleted: number;
  readonly batches: number;
  readonly version_conflicts: number;
  readonly noops: number;
  readonly retries: { readonly bulk: number; readonly search: number };
  readonly throttled_millis: number;
  readonly requests_per_second: number;
  readonly canceled?: string;
  readonly throttled_until_millis: number;
}

/** One that a block kept from being changed. */
interface Refused extends Candidate {
  readonly id: string;
  readonly error: EngineError;
}

/** A batch that is blocked for a reason which may pass is tried again, each time later: 500 ms at first, 30 s at last. */
const MOST_RETRIES = 11;
const retryDelayMs = (tried: number) => 500 + 10 * (Math.floor(Math.exp(0.8 * tried)) - 1);

/**
 * One update or delete by query. It takes the documents as they are when it begins; one that somebody else changed since is a
 * version conflict and stays as it is.
 */
export class ByQueryRun {
  readonly #request: ByQueryRequest;
  readonly #indices: readonly LogIndex[];
  readonly #clock: Clock;
  readonly #beganAtMs: number;
  #total = 0;
  #updated = 0;
  #deleted = 0;
  #batches = 0;
  #conflicts = 0;
  #noops = 0;
  #bulkRetries = 0;
  #throttledMs = 0;
  #throttledUntilMs = 0;
  #perSecond: number;
  #cancelReason: string | undefined;
  #endedAtMs: number | undefined;
  #wake = new AbortController();
  readonly #failures: ByQueryFailure[] = [];

  constructor(request: ByQueryRequest, indices: readonly LogIndex[], clock: Clock) {
    this.#request = request;
    this.#indices = indices;
    this.#clock = clock;
    this.#beganAtMs = clock.now();
    this.#perSecond = request.perSecond;
    // A query that cannot be is refused before the run is a task.
    for (const { mapping } of indices) compileQuery(request.query, mapping);
  }

  /** Ends with the batch that runs. */
  cancel(reason: string): void {
    this.#cancelReason ??= reason;
    this.#wakeUp();
  }

  /** Takes effect at once, also on a wait that has begun. */
  rethrottle(perSecond: number): void {
    this.#perSecond = perSecond;
    this.#wakeUp();
  }

  get isCancelled(): boolean {
    return this.#cancelReason !== undefined;
  }

  /** 200, or the status of the first failure. */
  get httpStatus(): number {
    return Math.max(200, ...this.#failures.map(({ status }) => status));
  }

  async run(): Promise<void> {
    const candidates = await this.#find();
    this.#total = candidates.count;
    let left = candidates.count;
    for (const batch of candidates.batches(this.#request.batchSize)) {
      const beganAtMs = this.#clock.now();
      this.#batches++;
      await this.#runBatch(batch);
      left -= batch.length;
      if (this.#goesOn() && left > 0) await this.#throttle(beganAtMs, batch.length);
      if (!this.#goesOn()) break;
    }
    for (const { file } of this.#indices) if (file.isOpen) await file.settle();
    this.#endedAtMs = this.#clock.now();
  }

  #goesOn(): boolean {
    return !this.isCancelled && this.#failures.length === 0;
  }

  async #find(): Promise<Candidates> {
    const candidates = new Candidates();
    for (const index of this.#indices) {
      index.refuseWhenBlocked('read');
      for await (const matches of index.file.matches(compileQuery(this.#request.query, index.mapping))) {
        candidates.add(index, matches);
        if (this.isCancelled) return new Candidates();
      }
    }
    return candidates;
  }

  async #runBatch(batch: readonly Candidate[]): Promise<void> {
    for (let pending = batch, tried = 0; ; ) {
      const refused = await this.#attempt(pending);
      const [first] = refused;
      if (!first) return;
      const isPassing = first.error.status === 429 && tried < MOST_RETRIES;
      if (!isPassing) {
        for (const { index, id, error } of refused) this.#fail(index, id, error);
        return;
      }
      this.#bulkRetries++;
      await this.#sleep(retryDelayMs(tried++));
      if (this.isCancelled) return;
      pending = refused;
    }
  }

  /** Acts on each, turn by turn, and returns those that a block of their index did not let it change. */
  async #attempt(batch: readonly Candidate[]): Promise<Refused[]> {
    const refused: Refused[] = [];
    for (let at = 0; at < batch.length && this.#failures.length === 0; ) {
      at = this.#runTurn(batch, at, refused);
      await nextTurn();
    }
    return refused;
  }

  /** As many documents of one index as one turn holds, in one transaction; returns where the next turn begins. */
  #runTurn(batch: readonly Candidate[], from: number, refused: Refused[]): number {
    const { index } = batch[from]!;
    if (!index.file.isOpen) throw indexNotFound(index.name);
    const block = blockedBy(index.name, index.blocks, 'write');
    const beganAt = performance.now();
    let at = from;
    index.file.transaction(() => {
      do {
        const candidate = batch[at++]!;
        const id = this.#actOn(candidate, block !== undefined);
        if (id !== undefined && block) refused.push({ ...candidate, id, error: block });
      } while (
        at < batch.length &&
        batch[at]!.index === index &&
        this.#failures.length === 0 &&
        !isTurnOver(beganAt)
      );
    });
    return at;
  }

  /** Returns the id of a document that it would have changed. */
  #actOn({ index, number, seqNo }: Candidate, isBlocked: boolean): string | undefined {
    const { act } = this.#request;
    const stored = index.file.at(number);
    const isAsItWas = stored?.seqNo === seqNo;
    const source = isAsItWas && act.kind === 'update' ? this.#changed(stored) : undefined;
    if (isAsItWas && act.kind === 'update' && source === undefined) {
      this.#noops++;
      return undefined;
    }
    if (isBlocked) return stored?.id ?? String(number);
    if (!isAsItWas) this.#conflict(index, stored?.id ?? String(number));
    else if (source !== undefined) this.#update(index, stored, source);
    else {
      index.file.remove(number, index.mapping.termsOf(JSON.parse(stored.source)));
      this.#deleted++;
    }
    return undefined;
  }

  /** Undefined when the script leaves the document as it is. */
  #changed({ source }: StoredDocument): string | undefined {
    const { act } = this.#request;
    if (act.kind !== 'update' || !act.clean) return source;
    return cleanedSource(source, act.clean.mode, act.clean.fields);
  }

  #update(index: LogIndex, stored: StoredDocument, source: string): void {
    try {
      const read = index.mapping.read(JSON.parse(source), stored.id, index.stream !== null);
      index.file.replace(stored, { source, ...read }, index.mapping.termsOf(JSON.parse(stored.source)));
      this.#updated++;
    } catch (error) {
      // The cleanup took away what the mapping wants, such as the timestamp of a stream.
      if (!(error instanceof EngineError)) throw error;
      this.#fail(index, stored.id, error);
    }
  }

  #conflict(index: LogIndex, id: string): void {
    this.#conflicts++;
    if (!this.#request.abortsOnConflict) return;
    const reason = `[${id}]: version conflict, the document was changed since the run began`;
    this.#fail(index, id, new EngineError(409, 'version_conflict_engine_exception', reason));
  }

  #fail(index: LogIndex, id: string, error: EngineError): void {
    this.#failures.push({ index: index.name, id, cause: errorCause(error), status: error.status });
  }

  async #throttle(beganAtMs: number, count: number): Promise<void> {
    for (;;) {
      const untilMs = beganAtMs + (count / this.#perSecond) * 1000;
      const nowMs = this.#clock.now();
      if (untilMs <= nowMs || this.isCancelled) break;
      this.#throttledUntilMs = untilMs;
      await this.#sleep(untilMs - nowMs);
      this.#throttledMs += this.#clock.now() - nowMs;
    }
    this.#throttledUntilMs = 0;
  }

  async #sleep(ms: number): Promise<void> {
    const { signal } = this.#wake;
    try {
      await this.#clock.sleep(ms, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  #wakeUp(): void {
    this.#wake.abort();
    this.#wake = new AbortController();
  }

  /** How far it is, in the words of the wire. */
  status(): ByQueryStatus {
    const perSecond = this.isCancelled ? Number.POSITIVE_INFINITY : this.#perSecond;
    return {
      total: this.#total,
      updated: this.#updated,
      created: 0,
      deleted: this.#deleted,
      batches: this.#batches,
      version_conflicts: this.#conflicts,
      noops: this.#noops,
      retries: { bulk: this.#bulkRetries, search: 0 },
      throttled_millis: Math.round(this.#throttledMs),
      requests_per_second: perSecond === Number.POSITIVE_INFINITY ? -1 : perSecond,
      ...(this.#cancelReason !== undefined && { canceled: this.#cancelReason }),
      throttled_until_millis: Math.max(0, Math.round(this.#throttledUntilMs - this.#clock.now())),
    };
  }

  /** The answer once it is over. */
  response(): object {
    const { created: _, updated, ...rest } = this.status();
    return {
      took: (this.#endedAtMs ?? this.#clock.now()) - this.#beganAtMs,
      timed_out: false,
      ...(this.#request.act.kind === 'update' && { updated }),
      ...rest,
      failures: this.#failures,
    };
  }
}
