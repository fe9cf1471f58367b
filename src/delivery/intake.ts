import type { Clock } from '../kernel/clock.ts';
import { canDeliverLogs } from '../model/connection-rules.ts';
import type { Batchers } from './batchers.ts';
import type { ByteBudget } from './byte-budget.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import { type AddressBook, isAddress } from './delivery-address.ts';
import {
  type DeliveryEvent,
  type Fallback,
  isDeadEnd,
  type OfferOutcome,
  type UnsentSink,
} from './delivery-event.ts';
import type { ProblemReporter } from './delivery-problem.ts';
import type { DeliverySettings } from './delivery-settings.ts';
import type { EncodedEvent, Encoder } from './encode.ts';
import type { FallbackRoute } from './fallback-route.ts';
import type { Ledger } from './ledger.ts';

export interface IntakeOptions {
  readonly settings: DeliverySettings;
  readonly encoder: Encoder;
  readonly addresses: AddressBook;
  readonly budget: ByteBudget;
  readonly batchers: Batchers;
  readonly breaker: CircuitBreaker;
  readonly ledger: Ledger;
  readonly fallbackRoute: FallbackRoute;
  readonly problems: ProblemReporter;
  readonly clock: Clock;
}

/** Recommended is less (spec 2 §8). */
const RECOMMENDED_EVENT_BYTES = 200 * 1024;
/** What the bookkeeping of an event costs, in a batch and alone: without it, millions of tiny ones would fit. */
const BATCHED_EVENT_OVERHEAD_BYTES = 24;
const LONE_EVENT_OVERHEAD_BYTES = 512;

/** For events that are dropped when they cannot be delivered. */
export const NO_FALLBACK: Fallback = {};
const ACCEPTED: OfferOutcome = { kind: 'accepted' };

/** How a producer takes it that there is no room. */
export interface Patience {
  readonly waitMs: number;
  /** With so many in line it does not join them. */
  readonly maxInLine: number;
}

/** The way in: encode, find the address, find room, join a batch. Whoever does not get in is counted too. */
export class Intake {
  readonly #options: IntakeOptions;
  /** Why nothing is accepted. */
  #refusal: string | undefined;
  /** That of the engine that took the place of this one: whoever still comes here is sent on. */
  #successor: Intake | undefined = undefined;
  /** One object for each store, because batches are kept apart by it. */
  readonly #fallbacksInto = new WeakMap<UnsentSink, Fallback>();

  constructor(options: IntakeOptions) {
    this.#options = options;
    this.#refusal = refusalOf(options.settings);
  }

  /** Calls back once: when the event is inside, or has gone another way because there was no room in time. */
  take(
    event: DeliveryEvent,
    fallback: Fallback,
    patience: Patience,
    onOutcome: (outcome: OfferOutcome) => void,
  ): void {
    if (this.#successor) {
      this.#successor.take(event, fallback, patience, onOutcome);
      return;
    }
    const { ledger, addresses, budget, batchers, problems } = this.#options;
    ledger.accept();
    const isLineFull = budget.waiterCount >= patience.maxInLine;
    if (isLineFull && isDeadEnd(fallback)) {
      // In an outage that is most of them: their text would be garbage at once.
      this.#giveUp(event, fallback, 'buffer-full', onOutcome);
      return;
    }
    const encoded = this.#encode(event);
    if (!encoded) {
      this.#giveUp(event, NO_FALLBACK, 'not-encodable', onOutcome);
      return;
    }
    if (this.#refusal !== undefined) {
      this.#giveUp(event, fallback, this.#refusal, onOutcome);
      return;
    }
    const address = addresses.addressFor(event.context);
    if (!isAddress(address)) {
      problems.tell('configuration', address.reason, address.detail);
      this.#giveUp(event, fallback, address.reason, onOutcome);
      return;
    }
    this.#noteSize(encoded);
    const charge = this.#chargeOf(encoded);
    if (charge > budget.capacityBytes) {
      // No other connection was asked for: it could never have been taken here.
      this.#giveUp(event, NO_FALLBACK, 'larger-than-buffer', onOutcome);
      return;
    }
    if (budget.tryTake(charge)) {
      batchers.batcherFor(address, fallback).add(encoded, charge);
      onOutcome(ACCEPTED);
      return;
    }
    budget.wait(charge, isLineFull ? 0 : patience.waitMs, (isGranted) => {
      if (isGranted) {
        batchers.batcherFor(address, fallback).add(encoded, charge);
        onOutcome(ACCEPTED);
      } else if (this.#successor) {
        ledger.takeBack();
        this.#successor.take(event, fallback, patience, onOutcome);
      } else {
        this.#giveUp(event, fallback, this.#refusal ?? 'buffer-full', onOutcome);
      }
    });
  }

  /** For an event that another connection could not deliver: false, at once, unless there is room and hope. */
  takeOver(event: DeliveryEvent, unsent: UnsentSink | undefined): boolean {
    if (this.#successor) return this.#successor.takeOver(event, unsent);
    const { breaker, ledger, addresses, budget, batchers } = this.#options;
    if (this.#refusal !== undefined || breaker.isRefusing) return false;
    const address = addresses.addressFor(event.context);
    if (!isAddress(address)) return false;
    const encoded = this.#encode(event);
    const charge = encoded && this.#chargeOf(encoded);
    if (!charge || !budget.tryTake(charge)) return false;
    ledger.accept();
    this.#noteSize(encoded);
    batchers.batcherFor(address, this.#fallbackInto(unsent)).add(encoded, charge);
    return true;
  }

  succeedBy(successor: Intake): void {
    this.#successor = successor;
  }

  /** Nothing more comes in; what was collected goes out. */
  close(): void {
    this.#refusal = 'shutdown';
    this.#options.budget.refuseWaiters();
    this.#options.batchers.close();
  }

  #encode(event: DeliveryEvent): EncodedEvent | undefined {
    try {
      return this.#options.encoder.encode(event);
    } catch {
      // A cycle or a BigInt: there is no text of it that could be sent or kept.
      return undefined;
    }
  }

  #chargeOf({ bytes }: EncodedEvent): number {
    const { isEnabled } = this.#options.settings.batch;
    return bytes + (isEnabled ? BATCHED_EVENT_OVERHEAD_BYTES : LONE_EVENT_OVERHEAD_BYTES);
  }

  #noteSize({ bytes }: EncodedEvent): void {
    if (bytes <= RECOMMENDED_EVENT_BYTES) return;
    const { ledger, problems } = this.#options;
    if (ledger.counters.oversized++ === 0)
      problems.tell('configuration', 'event-oversized', 'events above the recommended 200 KB are sent');
  }

  #giveUp(
    event: DeliveryEvent,
    fallback: Fallback,
    reason: string,
    onOutcome: (outcome: OfferOutcome) => void,
  ): void {
    const { clock, fallbackRoute } = this.#options;
    if (isDeadEnd(fallback)) {
      // At full load the garbage of so many would make those who wait for room grow old.
      onOutcome(fallbackRoute.drop(1, reason));
      return;
    }
    const timed = event.timeMs === undefined ? { ...event, timeMs: clock.now() } : event;
    const outcome = fallbackRoute.take({ size: 1, event: () => timed }, fallback, reason);
    if (outcome instanceof Promise) void outcome.then(onOutcome);
    else onOutcome(outcome);
  }

  #fallbackInto(unsent: UnsentSink | undefined): Fallback {
    if (!unsent) return NO_FALLBACK;
    const fallback = this.#fallbacksInto.get(unsent) ?? { unsent };
    this.#fallbacksInto.set(unsent, fallback);
    return fallback;
  }
}

function refusalOf({ isEnabled, method }: DeliverySettings): string | undefined {
  if (!isEnabled) return 'disabled';
  return canDeliverLogs({ httpMethod: method }) ? undefined : 'method-without-body';
}
