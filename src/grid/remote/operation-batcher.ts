import { CallDeadlines } from '../call-deadlines.ts';
import { GridRefusal, GridUnavailable, isGridRefusalReason } from '../contract.ts';
import type { GridUsage } from '../engine.ts';
import type { CacheCaller } from './cache-caller.ts';
import type { OwnerFinder } from './owner-finder.ts';
import {
  MOST_OPERATIONS,
  MOST_REQUEST_BYTES,
  type WireMap,
  type WireOperation,
  type WireResult,
} from './wire.ts';

interface Waiting {
  readonly map: WireMap | undefined;
  readonly operation: WireOperation;
  readonly dueAtMs: number;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export interface OperationBatcherOptions {
  readonly owner: OwnerFinder;
  readonly caller: CacheCaller;
  readonly deadlineMs: number;
}

const MOST_WAITING = 50_000;
const MOST_CALLS = 8;
/** Names of members, numbers and quotes around what an operation holds. */
const OPERATION_OVERHEAD_BYTES = 200;
/** Keys may hold control characters, which JSON writes as `\u0000`; values are JSON or base64 already. */
const WIDEST_IN_KEYS_BYTES = 6;
const WIDEST_IN_VALUES_BYTES = 3;

/**
 * Gathers the operations of one turn of the event loop, and those that come while enough calls are under way, into
 * batches, so that one round trip carries many. Nothing is sent twice: whether an unanswered change was made is not known.
 */
export class OperationBatcher {
  readonly #options: OperationBatcherOptions;
  readonly #deadlines: CallDeadlines;
  #waiting: Waiting[] = [];
  #callCount = 0;
  #refusedCount = 0;
  #isScheduled = false;
  #isClosed = false;

  constructor(options: OperationBatcherOptions) {
    this.#options = options;
    const { deadlineMs } = options;
    this.#deadlines = new CallDeadlines({ deadlineMs });
  }

  run(operation: WireOperation, map?: WireMap): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(new GridUnavailable());
    if (this.#waiting.length >= MOST_WAITING) {
      this.#refusedCount++;
      return Promise.reject(new GridUnavailable());
    }
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const dueAtMs = performance.now() + this.#options.deadlineMs;
    this.#waiting.push({ map, operation, dueAtMs, resolve, reject });
    this.#schedule();
    return this.#deadlines.within(promise);
  }

  get usage(): GridUsage {
    const { busy, idle, waiting, maxTotal } = this.#options.caller.usage();
    return {
      calls: {
        poolSize: MOST_CALLS,
        activeCount: this.#callCount,
        queueSize: this.#waiting.length,
        rejectedTaskCount: this.#refusedCount,
      },
      connections: { name: 'data grid', leased: busy, available: idle, pending: waiting, maxTotal },
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(new GridUnavailable());
    this.#deadlines.close();
    await this.#options.caller.close();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#dropLate();
      while (this.#waiting.length > 0 && this.#callCount < MOST_CALLS) this.#send(this.#nextBatch());
    });
  }

  /** Their callers were told that the grid does not answer, and must not find later that it was done after all. */
  #dropLate(): void {
    const now = performance.now();
    if (this.#waiting.some(({ dueAtMs }) => dueAtMs <= now))
      this.#waiting = this.#waiting.filter(({ dueAtMs }) => dueAtMs > now);
  }

  #nextBatch(): Waiting[] {
    let count = 0;
    let bytes = 0;
    while (count < Math.min(this.#waiting.length, MOST_OPERATIONS)) {
      bytes += mostBytesOf(this.#waiting[count]!.operation);
      // One alone always fits: its value was bounded before.
      if (bytes > MOST_REQUEST_BYTES && count > 0) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }

  async #send(batch: readonly Waiting[]): Promise<void> {
    this.#callCount++;
    try {
      const results = await this.#call(batch);
      for (const [index, waiting] of batch.entries()) this.#settle(waiting, results[index]!);
    } catch (error) {
      for (const { reject } of batch)
        reject(error instanceof GridUnavailable ? error : new GridUnavailable({ cause: error }));
    } finally {
      this.#callCount--;
      if (this.#waiting.length > 0) this.#schedule();
    }
  }

  async #call(batch: readonly Waiting[]): Promise<WireResult[]> {
    const { owner, caller } = this.#options;
    const pod = await owner.find();
    const maps: Record<string, WireMap> = {};
    for (const { map, operation } of batch) if (map && operation.map !== undefined) maps[operation.map] = map;
    try {
      return await caller.call(pod, { maps, operations: batch.map(({ operation }) => operation) });
    } catch (error) {
      owner.forget(pod);
      throw error;
    }
  }

  #settle(waiting: Waiting, { result, refused, isPutOff }: WireResult): void {
    if (isPutOff) this.#waiting.unshift(waiting);
    else if (refused === undefined) waiting.resolve(result);
    else if (isGridRefusalReason(refused)) waiting.reject(new GridRefusal(refused));
    else waiting.reject(new GridUnavailable({ cause: new Error(`refused as ${refused}`) }));
  }
}

function mostBytesOf({ key = '', value = '', expected = '' }: WireOperation): number {
  const values = value.length + expected.length;
  return OPERATION_OVERHEAD_BYTES + key.length * WIDEST_IN_KEYS_BYTES + values * WIDEST_IN_VALUES_BYTES;
}
