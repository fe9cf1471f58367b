/** One thing to be delivered. */
export interface DeliveryEvent {
  /** The record itself, or its JSON text where the caller has it already. */
  readonly record: object | string;
  /** When it happened, in milliseconds since the epoch; now, unless given. */
  readonly timeMs?: number | undefined;
  /** What placeholders of the address may stand for, beside the variables of the environment. */
  readonly context?: Readonly<Record<string, string>> | undefined;
}

/** An event that could not be delivered, on its way into a store. */
export interface UnsentEvent {
  /** The record as JSON text. */
  readonly content: string;
  readonly timeMs: number;
  /** Why it was not delivered. */
  readonly reason: string;
}

/** Where events are kept that could not be delivered, to be replayed later. Rejects when they could not be kept. */
export interface UnsentSink {
  keep(events: readonly UnsentEvent[]): Promise<void>;
}

/** Another connection that takes what this one cannot deliver. */
export interface Failover {
  /** False: not taken, because it is full, switched off or not to be contacted. It never waits. */
  takeOver(event: DeliveryEvent, unsent: UnsentSink | undefined): boolean;
}

/** What becomes of events that cannot be delivered: the failover first, then the store; without either they are dropped. */
export interface Fallback {
  readonly failover?: Failover | undefined;
  readonly unsent?: UnsentSink | undefined;
}

/** Whoever cannot be delivered is dropped. */
export function isDeadEnd({ failover, unsent }: Fallback): boolean {
  return !failover && !unsent;
}

/** What became of an event when it was offered. Accepted ones end in the counters. */
export type OfferOutcome =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'failed-over' | 'unsent' | 'dropped'; readonly reason: string };
