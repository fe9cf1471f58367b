import type { PoolUsage } from '../http1/client/client-options.ts';
import type { ClientPool } from '../http1/client/client-pool.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { canDeliverLogs } from '../model/connection-rules.ts';
import { Batcher } from './batcher.ts';
import { BodyMemory } from './body-memory.ts';
import { ByteBudget } from './byte-budget.ts';
import { CircuitBreaker, type CircuitState } from './circuit-breaker.ts';
import { DeliveryCounters, type DeliveryCounts } from './counters.ts';
import { AddressBook, type DeliveryAddress, isAddress } from './delivery-address.ts';
import type { DeliveryEvent, Failover, Fallback, OfferOutcome, UnsentSink } from './delivery-event.ts';
import { ProblemReporter, type ReportProblem } from './delivery-problem.ts';
import type { DeliverySettings } from './delivery-settings.ts';
import { Dispatcher } from './dispatcher.ts';
import { createEncoder, type EncodedEvent, type Encoder } from './encode.ts';
import { eventPath } from './event-collector/collector-path.ts';
import { FallbackRoute } from './fallback-route.ts';
import { Ledger } from './ledger.ts';
import { Sender } from './sender.ts';

/** What the engine needs of its pool. It belongs to the engine, which closes it. */
export type EnginePool = Pick<ClientPool, 'send' | 'usage' | 'close'>;

export interface DeliveryEngineOptions {
  readonly settings: DeliverySettings;
  readonly pool: EnginePool;
  readonly log: Log;
  /** Brings problems to the message journal. */
  readonly report?: ReportProblem | undefined;
  /** For events that are offered without one of their own. */
  readonly fallback?: Fallback | undefined;
  /** Those of the engine before, when this one takes its place. */
  readonly counters?: DeliveryCounters | undefined;
  readonly clock?: Clock;
  readonly monotonicMs?: () => number;
  /** From 0 up to, not including, 1. */
  readonly random?: () => number;
}

/** How an engine stands at the moment. */
export interface DeliveryState {
  readonly isEnabled: boolean;
  readonly isStopping: boolean;
  readonly circuit: CircuitState | 'off';
  readonly circuitOpenings: number;
  readonly bufferBytes: number;
  readonly bufferMaxBytes: number;
  /** Producers that wait for room. */
  readonly waitingProducers: number;
  /** In batches. */
  readonly ready: number;
  readonly sending: number;
  readonly awaitingRetry: number;
  readonly awaitingAck: number;
  readonly pool: PoolUsage;
  /** False: https without a trust store. */
  readonly isTargetVerified: boolean;
}

/** The longest that the gateway's hot path is held up (spec 2 §6). */
const HOT_PATH_WAIT_MS = 50;
/** Recommended is less (spec 2 §8). */
const RECOMMENDED_EVENT_BYTES = 200 * 1024;
/** What the bookkeeping of an event costs that travels alone: without it, millions of tiny ones would fit. */
const LONE_EVENT_OVERHEAD_BYTES = 512;
/** Where records choose the address, each open one has a block of memory. */
const MAX_BATCHERS = 256;
/** What stores of unsent events get beyond the deadline of a stop. */
const LAST_WORDS_MS = 1000;

const NO_FALLBACK: Fallback = {};
const ACCEPTED: OfferOutcome = { kind: 'accepted' };

/**
 * Delivers events through one connection, in one environment, on one pod: encode → buffer → batch → send. Whatever is
 * accepted ends in exactly one counter.
 */
export class DeliveryEngine implements Failover {
  readonly #settings: DeliverySettings;
  readonly #pool: EnginePool;
  readonly #clock: Clock;
  readonly #monotonicMs: () => number;
  readonly #fallback: Fallback;
  readonly #encoder: Encoder;
  readonly #addresses: AddressBook;
  readonly #ledger: Ledger;
  readonly #budget: ByteBudget;
  readonly #memory = new BodyMemory();
  readonly #breaker: CircuitBreaker;
  readonly #problems: ProblemReporter;
  readonly #fallbackRoute: FallbackRoute;
  readonly #dispatcher: Dispatcher;
  readonly #batchers = new Map<Fallback, Map<DeliveryAddress, Batcher>>();
  #batcherCount = 0;
  #lastBatcher: { address: DeliveryAddress; fallback: Fallback; batcher: Batcher } | undefined = undefined;
  readonly #stopBatching = new AbortController();
  readonly #lastWords = new AbortController();
  /** Why nothing is accepted. */
  #refusal: string | undefined;
  #stopped: Promise<void> | undefined = undefined;
  /** The engine that took its place: whoever still comes here is sent on. */
  #successor: DeliveryEngine | undefined = undefined;

  constructor({
    settings,
    pool,
    log,
    report,
    fallback = NO_FALLBACK,
    counters = new DeliveryCounters(),
    clock = systemClock,
    monotonicMs = () => performance.now(),
    random = Math.random,
  }: DeliveryEngineOptions) {
    const { place, batch, collector, buffer } = settings;
    this.#settings = settings;
    this.#pool = pool;
    this.#clock = clock;
    this.#monotonicMs = monotonicMs;
    this.#fallback = fallback;
    this.#refusal = refusalOf(settings);
    this.#encoder = createEncoder(batch.isEnabled, collector?.metadata, () => clock.now());
    this.#addresses = new AddressBook(
      settings.fullUrl,
      settings.variables,
      collector ? eventPath : (path) => path,
    );
    this.#ledger = new Ledger(counters);
    this.#budget = new ByteBudget({ capacityBytes: buffer.maxBytes, clock, monotonicMs });
    this.#breaker = new CircuitBreaker(settings.breaker, monotonicMs);
    this.#problems = new ProblemReporter(place, log, report, clock);
    this.#fallbackRoute = new FallbackRoute({
      ledger: this.#ledger,
      problems: this.#problems,
      maxUnsentBytes: buffer.maxBytes,
      signal: this.#lastWords.signal,
    });
    this.#dispatcher = new Dispatcher({
      settings,
      sender: new Sender({ settings, pool, clock, monotonicMs }),
      breaker: this.#breaker,
      budget: this.#budget,
      memory: this.#memory,
      ledger: this.#ledger,
      fallbackRoute: this.#fallbackRoute,
      problems: this.#problems,
      clock,
      monotonicMs,
      random,
      maxRunning: this.#maxRunning(),
    });
    this.#warnAboutSettings();
  }

  /**
   * For a producer that can wait: resolves when the event is inside, or has gone another way because there was no
   * room in time. Events that share a fallback share its object.
   */
  offer(event: DeliveryEvent, fallback: Fallback = this.#fallback): Promise<OfferOutcome> {
    const { producerThrottleMs } = this.#settings.buffer;
    return new Promise((resolve) => this.#take(event, fallback, producerThrottleMs, resolve));
  }

  /** For the hot path of the gateway: nobody waits for it, and it waits for room only for a moment. */
  tryOffer(event: DeliveryEvent, fallback: Fallback = this.#fallback): void {
    const waitMs = Math.min(this.#settings.buffer.producerThrottleMs, HOT_PATH_WAIT_MS);
    this.#take(event, fallback, waitMs, ignoreOutcome);
  }

  /** As the failover of another connection; what cannot be delivered here goes no further than to the store (depth 1). */
  takeOver(event: DeliveryEvent, unsent: UnsentSink | undefined): boolean {
    if (this.#successor) return this.#successor.takeOver(event, unsent);
    if (this.#refusal !== undefined || this.#breaker.isRefusing) return false;
    const address = this.#addresses.addressFor(event.context);
    if (!isAddress(address)) return false;
    const encoded = this.#encode(event);
    const charge = encoded && this.#chargeOf(encoded);
    if (!charge || !this.#budget.tryTake(charge)) return false;
    this.#ledger.accept();
    this.#noteSize(encoded);
    this.#batcherFor(address, this.#fallbackInto(unsent)).add(encoded, charge);
    return true;
  }

  counters(): DeliveryCounts {
    return this.#ledger.counters.counts();
  }

  state(): DeliveryState {
    return {
      isEnabled: this.#settings.isEnabled,
      isStopping: this.#stopped !== undefined,
      circuit: this.#breaker.state,
      circuitOpenings: this.#breaker.openings,
      bufferBytes: this.#budget.usedBytes,
      bufferMaxBytes: this.#budget.capacityBytes,
      waitingProducers: this.#budget.waiterCount,
      ...this.#dispatcher.occupancy,
      pool: this.#pool.usage(),
      isTargetVerified: !isUnverified(this.#settings),
    };
  }

  /**
   * Takes in nothing more, sends what is inside until the deadline, and gives the rest to the fallback. Resolves when
   * every event has come to its end and every connection is closed.
   */
  stop(deadlineMs: number): Promise<void> {
    this.#stopped ??= this.#stopWithin(deadlineMs);
    return this.#stopped;
  }

  /** Another engine takes its place, with the same counters. Called right before it is stopped: producers that wait go there. */
  succeedBy(successor: DeliveryEngine): void {
    this.#successor = successor;
  }

  /** Stops so that the target is left alone from now on: whatever is inside goes to the fallback. */
  cutOff(): Promise<void> {
    this.#dispatcher.cutOff();
    return this.stop(0);
  }

  #take(
    event: DeliveryEvent,
    fallback: Fallback,
    waitMs: number,
    onOutcome: (outcome: OfferOutcome) => void,
  ): void {
    if (this.#successor) {
      this.#successor.#take(event, fallback, waitMs, onOutcome);
      return;
    }
    this.#ledger.accept();
    const encoded = this.#encode(event);
    if (!encoded) {
      this.#giveUp(event, NO_FALLBACK, 'not-encodable', onOutcome);
      return;
    }
    if (this.#refusal !== undefined) {
      this.#giveUp(event, fallback, this.#refusal, onOutcome);
      return;
    }
    const address = this.#addresses.addressFor(event.context);
    if (!isAddress(address)) {
      this.#problems.tell('configuration', address.reason, address.detail);
      this.#giveUp(event, fallback, address.reason, onOutcome);
      return;
    }
    this.#noteSize(encoded);
    const charge = this.#chargeOf(encoded);
    if (charge > this.#budget.capacityBytes) {
      // No other connection was asked for: it could never have been taken here.
      this.#giveUp(event, NO_FALLBACK, 'larger-than-buffer', onOutcome);
      return;
    }
    if (this.#budget.tryTake(charge)) {
      this.#batcherFor(address, fallback).add(encoded, charge);
      onOutcome(ACCEPTED);
      return;
    }
    this.#budget.wait(charge, waitMs, (isGranted) => {
      if (!isGranted && this.#successor) {
        this.#ledger.takeBack();
        this.#successor.#take(event, fallback, waitMs, onOutcome);
        return;
      }
      if (!isGranted) {
        this.#giveUp(event, fallback, this.#refusal ?? 'buffer-full', onOutcome);
        return;
      }
      this.#batcherFor(address, fallback).add(encoded, charge);
      onOutcome(ACCEPTED);
    });
  }

  #encode(event: DeliveryEvent): EncodedEvent | undefined {
    try {
      return this.#encoder.encode(event);
    } catch {
      // A cycle or a BigInt: there is no text of it that could be sent or kept.
      return undefined;
    }
  }

  #chargeOf({ bytes }: EncodedEvent): number {
    return this.#settings.batch.isEnabled ? bytes : bytes + LONE_EVENT_OVERHEAD_BYTES;
  }

  #noteSize({ bytes }: EncodedEvent): void {
    if (bytes <= RECOMMENDED_EVENT_BYTES) return;
    const { counters } = this.#ledger;
    if (counters.oversized++ === 0)
      this.#problems.tell('configuration', 'event-oversized', 'events above the recommended 200 KB are sent');
  }

  #giveUp(
    event: DeliveryEvent,
    fallback: Fallback,
    reason: string,
    onOutcome: (outcome: OfferOutcome) => void,
  ): void {
    const timed = event.timeMs === undefined ? { ...event, timeMs: this.#clock.now() } : event;
    void this.#fallbackRoute.take({ size: 1, event: () => timed }, fallback, reason).then(onOutcome);
  }

  #batcherFor(address: DeliveryAddress, fallback: Fallback): Batcher {
    const last = this.#lastBatcher;
    if (last && last.address === address && last.fallback === fallback) return last.batcher;
    const batcher = this.#batchers.get(fallback)?.get(address) ?? this.#openBatcher(address, fallback);
    this.#lastBatcher = { address, fallback, batcher };
    return batcher;
  }

  #openBatcher(address: DeliveryAddress, fallback: Fallback): Batcher {
    if (this.#batcherCount >= MAX_BATCHERS) this.#closeBatchers();
    const batcher = new Batcher({
      settings: this.#settings.batch,
      address,
      fallback,
      closing: this.#encoder.closing,
      clock: this.#clock,
      monotonicMs: this.#monotonicMs,
      signal: this.#stopBatching.signal,
      memory: this.#memory,
      onBatch: (batch) => this.#dispatcher.submit(batch),
    });
    this.#batcherCount++;
    const siblings = this.#batchers.get(fallback);
    if (siblings) siblings.set(address, batcher);
    else this.#batchers.set(fallback, new Map([[address, batcher]]));
    return batcher;
  }

  #closeBatchers(): void {
    for (const siblings of this.#batchers.values()) for (const batcher of siblings.values()) batcher.flush();
    this.#batchers.clear();
    this.#batcherCount = 0;
    this.#lastBatcher = undefined;
  }

  /** One object for each store, because batches are kept apart by it. */
  readonly #fallbacksInto = new WeakMap<UnsentSink, Fallback>();

  #fallbackInto(unsent: UnsentSink | undefined): Fallback {
    if (!unsent) return NO_FALLBACK;
    const fallback = this.#fallbacksInto.get(unsent) ?? { unsent };
    this.#fallbacksInto.set(unsent, fallback);
    return fallback;
  }

  async #stopWithin(deadlineMs: number): Promise<void> {
    this.#refusal = 'shutdown';
    this.#budget.refuseWaiters();
    this.#closeBatchers();
    this.#stopBatching.abort();
    this.#dispatcher.stopRetrying();
    await this.#emptyWithin(deadlineMs);
    if (this.#ledger.held > 0) {
      this.#dispatcher.cutOff();
      await this.#emptyWithin(LAST_WORDS_MS);
      this.#lastWords.abort();
      await this.#ledger.whenEmpty();
    }
    this.#dispatcher.release();
    await this.#pool.close();
  }

  async #emptyWithin(ms: number): Promise<void> {
    const awake = new AbortController();
    const isOver = this.#clock.sleep(ms, awake.signal).catch(() => {});
    await Promise.race([this.#ledger.whenEmpty(), isOver]);
    awake.abort();
  }

  /** One connection is left for the polls of acknowledgements, which must not wait behind the events. */
  #maxRunning(): number {
    const { pool, collector } = this.#settings;
    const connections = this.#addresses.isFixed ? pool.maxPerHost : pool.maxTotal;
    return collector?.ack && connections > 1 ? connections - 1 : connections;
  }

  #warnAboutSettings(): void {
    const { pool } = this.#settings;
    if (isUnverified(this.#settings))
      this.#problems.tell('configuration', 'tls-not-verified', 'no trust store: the target is not verified');
    if (pool.isTotalRaised)
      this.#problems.tell(
        'configuration',
        'pool-total-raised',
        `the total of the pool is raised to the ${pool.maxPerHost} connections of one host`,
      );
  }
}

function refusalOf({ isEnabled, method }: DeliverySettings): string | undefined {
  if (!isEnabled) return 'disabled';
  return canDeliverLogs({ httpMethod: method }) ? undefined : 'method-without-body';
}

function isUnverified({ fullUrl, pool }: DeliverySettings): boolean {
  return /^https:/i.test(fullUrl) && pool.tls.ca === undefined;
}

function ignoreOutcome(): void {}
