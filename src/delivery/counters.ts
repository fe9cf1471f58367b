/** What became of all events so far. `accepted = delivered + failedOver + unsent + all dropped + pending`, always. */
export interface DeliveryCounts {
  readonly accepted: number;
  readonly delivered: number;
  /** Of the delivered: those a collector has taken without confirming that they are indexed (spec 2 §6). */
  readonly queued: number;
  /** Taken over by the failover connection, whose own counters tell how they ended. */
  readonly failedOver: number;
  readonly unsent: number;
  /** By reason. */
  readonly dropped: Readonly<Record<string, number>>;
  /** Inside: waiting, being sent, waiting for a retry or for an acknowledgement. */
  readonly pending: number;
  /** Above the recommended size (spec 2 §8). */
  readonly oversized: number;
  /** Calls to the target, by how they ended: `ok` or a reason. */
  readonly attempts: Readonly<Record<string, number>>;
  /** Attempts that were made again, by the reason. */
  readonly retries: Readonly<Record<string, number>>;
  /** Batches that were divided because the target refused a part of them. */
  readonly splits: number;
  /** Batches sent again because no acknowledgement came. */
  readonly ackResends: number;
  /** Answers without the acknowledgement id that was asked for. */
  readonly ackMissing: number;
}

/** The tallies of one connection. They outlive its engine, so that a new revision goes on counting. */
export class DeliveryCounters {
  accepted = 0;
  delivered = 0;
  queued = 0;
  failedOver = 0;
  unsent = 0;
  oversized = 0;
  splits = 0;
  ackResends = 0;
  ackMissing = 0;
  #pending = 0;
  readonly #dropped = new Map<string, number>();
  readonly #attempts = new Map<string, number>();
  readonly #retries = new Map<string, number>();

  accept(): void {
    this.accepted++;
    this.#pending++;
  }

  takeBack(): void {
    this.accepted--;
    this.#pending--;
  }

  deliver(events: number, isOnlyQueued: boolean): void {
    this.#pending -= events;
    this.delivered += events;
    if (isOnlyQueued) this.queued += events;
  }

  failOver(events: number): void {
    this.#pending -= events;
    this.failedOver += events;
  }

  keepUnsent(events: number): void {
    this.#pending -= events;
    this.unsent += events;
  }

  drop(events: number, reason: string): void {
    this.#pending -= events;
    add(this.#dropped, reason, events);
  }

  dropped(reason: string): number {
    return this.#dropped.get(reason) ?? 0;
  }

  attempt(ending: string): void {
    add(this.#attempts, ending, 1);
  }

  retry(reason: string): void {
    add(this.#retries, reason, 1);
  }

  get pending(): number {
    return this.#pending;
  }

  counts(): DeliveryCounts {
    return {
      accepted: this.accepted,
      delivered: this.delivered,
      queued: this.queued,
      failedOver: this.failedOver,
      unsent: this.unsent,
      dropped: Object.fromEntries(this.#dropped),
      pending: this.#pending,
      oversized: this.oversized,
      attempts: Object.fromEntries(this.#attempts),
      retries: Object.fromEntries(this.#retries),
      splits: this.splits,
      ackResends: this.ackResends,
      ackMissing: this.ackMissing,
    };
  }
}

function add(tally: Map<string, number>, key: string, amount: number): void {
  tally.set(key, (tally.get(key) ?? 0) + amount);
}
