import {
  type DeliveryEvent,
  type Fallback,
  isDeadEnd,
  type OfferOutcome,
  type UnsentEvent,
  type UnsentSink,
} from './delivery-event.ts';
import type { ProblemReporter } from './delivery-problem.ts';
import { recordText } from './encode.ts';
import type { Ledger } from './ledger.ts';
import { UnsentWriter } from './unsent-writer.ts';

export interface FallbackRouteOptions {
  readonly ledger: Ledger;
  readonly problems: ProblemReporter;
  /** Of what waits for a store of unsent events. */
  readonly maxUnsentBytes: number;
  /** Ends the wait for stores of unsent events. */
  readonly signal: AbortSignal;
}

/** The events of a batch, or a single one. */
export interface Undeliverable {
  readonly size: number;
  event(index: number): DeliveryEvent;
}

/** The end of the line for events that cannot be delivered: failover, else kept as unsent, else dropped; always counted. */
export class FallbackRoute {
  readonly #ledger: Ledger;
  readonly #problems: ProblemReporter;
  readonly #maxUnsentBytes: number;
  readonly #signal: AbortSignal;
  readonly #writers = new WeakMap<UnsentSink, UnsentWriter>();

  constructor({ ledger, problems, maxUnsentBytes, signal }: FallbackRouteOptions) {
    this.#ledger = ledger;
    this.#problems = problems;
    this.#maxUnsentBytes = maxUnsentBytes;
    this.#signal = signal;
  }

  /**
   * Tells what became of the last one, when all of them are counted: at once, unless a store has to keep them. During an
   * outage every event comes here, and a promise for each would cost more than the rest of its way.
   */
  take(events: Undeliverable, fallback: Fallback, reason: string): OfferOutcome | Promise<OfferOutcome> {
    if (isDeadEnd(fallback)) return this.drop(events.size, reason);
    const left = this.#failOver(events, fallback);
    if (left.length === 0) return { kind: 'failed-over', reason };
    if (!fallback.unsent) return this.drop(left.length, reason);
    return this.#keepUnsent(
      left.map((index) => events.event(index)),
      fallback.unsent,
      reason,
    );
  }

  drop(events: number, reason: string): OfferOutcome {
    this.#ledger.drop(events, reason);
    this.#problems.tell('loss', reason, 'events were dropped', events);
    return { kind: 'dropped', reason };
  }

  /** The positions of those that were not taken over. */
  #failOver(events: Undeliverable, { failover, unsent }: Fallback): number[] {
    const left: number[] = [];
    for (let index = 0; index < events.size; index++) {
      if (!failover?.takeOver(events.event(index), unsent)) left.push(index);
    }
    if (left.length < events.size) this.#ledger.failOver(events.size - left.length);
    return left;
  }

  async #keepUnsent(
    events: readonly DeliveryEvent[],
    sink: UnsentSink,
    reason: string,
  ): Promise<OfferOutcome> {
    let unsent: UnsentEvent[];
    try {
      unsent = events.map(({ record, timeMs = 0 }) => ({ content: recordText(record), timeMs, reason }));
    } catch {
      // Only of a single event that nobody has written as text yet, and nobody can.
      return this.drop(events.length, 'not-encodable');
    }
    const isKept = await this.#writerFor(sink).write(unsent);
    if (!isKept) return this.drop(events.length, 'unsent-not-kept');
    this.#ledger.keepUnsent(events.length);
    return { kind: 'unsent', reason };
  }

  #writerFor(sink: UnsentSink): UnsentWriter {
    let writer = this.#writers.get(sink);
    if (!writer) {
      writer = new UnsentWriter({
        sink,
        maxWaitingBytes: this.#maxUnsentBytes,
        signal: this.#signal,
        onFailed: () =>
          this.#problems.tell('configuration', 'unsent-not-kept', 'the store of unsent events takes nothing'),
      });
      this.#writers.set(sink, writer);
    }
    return writer;
  }
}
