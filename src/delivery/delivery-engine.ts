import type { ExecutorPool } from '../diagnostics/executor-pools.ts';
import type { PoolUsage } from '../http1/client/client-options.ts';
import type { ClientPool } from '../http1/client/client-pool.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { Batchers } from './batchers.ts';
import { BodyMemory } from './body-memory.ts';
import { ByteBudget, MAX_WAITERS } from './byte-budget.ts';
import { CircuitBreaker, type CircuitState } from './circuit-breaker.ts';
import { DeliveryCounters, type DeliveryCounts } from './counters.ts';
import { AddressBook } from './delivery-address.ts';
import type { DeliveryEvent, Failover, Fallback, OfferOutcome, UnsentSink } from './delivery-event.ts';
import { ProblemReporter, type ReportProblem } from './delivery-problem.ts';
import type { DeliverySettings } from './delivery-settings.ts';
import { Dispatcher } from './dispatcher.ts';
import { createEncoder } from './encode.ts';
import { eventPath } from './event-collector/collector-path.ts';
import { FallbackRoute } from './fallback-route.ts';
import { Intake, NO_FALLBACK, type Patience } from './intake.ts';
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
  /** https without a trust store: nobody knows who answers. */
  readonly isTlsUnverified: boolean;
}

/** The longest that the gateway's hot path is held up (spec 2 §6). */
const HOT_PATH_WAIT_MS = 50;
/**
 * Enough for a hiccup. While a target hangs they change every 50 ms for as long as it hangs, and each of them lives
 * just long enough to be taken for old by the garbage collector.
 */
const HOT_PATH_MAX_IN_LINE = 100;
/** What stores of unsent events get beyond the deadline of a stop. */
const LAST_WORDS_MS = 1000;

/**
 * Delivers events through one connection, in one environment, on one pod: encode → buffer → batch → send. Whatever is
 * accepted ends in exactly one counter.
 */
export class DeliveryEngine implements Failover {
  readonly #settings: DeliverySettings;
  readonly #pool: EnginePool;
  readonly #clock: Clock;
  readonly #fallback: Fallback;
  readonly #ledger: Ledger;
  readonly #budget: ByteBudget;
  readonly #breaker: CircuitBreaker;
  readonly #problems: ProblemReporter;
  readonly #dispatcher: Dispatcher;
  readonly #intake: Intake;
  readonly #patience: Patience;
  readonly #hotPathPatience: Patience;
  /** Ends the wait for stores of unsent events. */
  readonly #lastWords = new AbortController();
  readonly #timeIsUp = Promise.withResolvers<void>();
  /** Nobody has to watch the time any more. */
  readonly #hasEnded = new AbortController();
  #stopped: Promise<void> | undefined = undefined;

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
    this.#fallback = fallback;
    const waitMs = buffer.producerThrottleMs;
    this.#patience = { waitMs, maxInLine: MAX_WAITERS };
    this.#hotPathPatience = { waitMs: Math.min(waitMs, HOT_PATH_WAIT_MS), maxInLine: HOT_PATH_MAX_IN_LINE };
    this.#ledger = new Ledger(counters);
    this.#budget = new ByteBudget({ capacityBytes: buffer.maxBytes, clock, monotonicMs });
    this.#breaker = new CircuitBreaker(settings.breaker, monotonicMs);
    this.#problems = new ProblemReporter(place, log, report, clock);
    const [ledger, budget, problems, memory] = [this.#ledger, this.#budget, this.#problems, new BodyMemory()];
    const encoder = createEncoder(batch.isEnabled, collector?.metadata, () => clock.now());
    const addresses = new AddressBook(
      settings.fullUrl,
      settings.variables,
      collector ? eventPath : (path) => path,
    );
    const fallbackRoute = new FallbackRoute({
      ledger,
      problems,
      maxUnsentBytes: buffer.maxBytes,
      signal: this.#lastWords.signal,
    });
    const dispatcher = new Dispatcher({
      settings,
      sender: new Sender({ settings, pool, clock, monotonicMs }),
      breaker: this.#breaker,
      budget,
      memory,
      ledger,
      fallbackRoute,
      problems,
      clock,
      monotonicMs,
      random,
      maxRunning: maxRunning(settings, addresses.isFixed),
    });
    this.#dispatcher = dispatcher;
    const batchers = new Batchers({
      settings: batch,
      closing: encoder.closing,
      clock,
      monotonicMs,
      memory,
      onBatch: (closed) => dispatcher.submit(closed),
    });
    this.#intake = new Intake({
      settings,
      encoder,
      addresses,
      budget,
      batchers,
      breaker: this.#breaker,
      ledger,
      fallbackRoute,
      problems,
      clock,
    });
    this.#warnAboutSettings();
  }

  /**
   * For a producer that can wait: resolves when the event is inside, or has gone another way because there was no
   * room in time. Events that share a fallback share its object.
   */
  offer(event: DeliveryEvent, fallback: Fallback = this.#fallback): Promise<OfferOutcome> {
    return new Promise((resolve) => this.#intake.take(event, fallback, this.#patience, resolve));
  }

  /** For the hot path of the gateway: nobody waits for it, and it waits for room only for a moment. */
  tryOffer(event: DeliveryEvent, fallback: Fallback = this.#fallback): void {
    this.#intake.take(event, fallback, this.#hotPathPatience, ignoreOutcome);
  }

  /** As the failover of another connection; what cannot be delivered here goes no further than to the store (depth 1). */
  takeOver(event: DeliveryEvent, unsent: UnsentSink | undefined): boolean {
    return this.#intake.takeOver(event, unsent);
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
      isTlsUnverified: isUnverified(this.#settings),
    };
  }

  /** Its queues with what works them off, by what they do. */
  executorPools(): Record<string, ExecutorPool> {
    return this.#dispatcher.executorPools;
  }

  /**
   * Takes in nothing more, sends what is inside until the deadline, and gives the rest to the fallback. Resolves when
   * every event has come to its end and every connection is closed. Called again, the earliest deadline counts.
   */
  stop(deadlineMs: number): Promise<void> {
    this.#stopped ??= this.#stopInTime();
    this.#clock.sleep(deadlineMs, this.#hasEnded.signal).then(
      () => this.#timeIsUp.resolve(),
      // There is nothing left to wait for.
      () => {},
    );
    return this.#stopped;
  }

  /** Another engine takes its place, with the same counters. Called right before it is stopped: producers that wait go there. */
  succeedBy(successor: DeliveryEngine): void {
    this.#intake.succeedBy(successor.#intake);
  }

  /** Stops so that the target is left alone from now on: whatever is inside goes to the fallback. */
  cutOff(): Promise<void> {
    this.#dispatcher.cutOff();
    return this.stop(0);
  }

  async #stopInTime(): Promise<void> {
    this.#intake.close();
    this.#dispatcher.stopRetrying();
    await Promise.race([this.#ledger.whenEmpty(), this.#timeIsUp.promise]);
    this.#hasEnded.abort();
    if (this.#ledger.held > 0) {
      this.#dispatcher.cutOff();
      await this.#emptyWithinLastWords();
      this.#lastWords.abort();
      await this.#ledger.whenEmpty();
    }
    this.#dispatcher.release();
    await this.#pool.close();
  }

  async #emptyWithinLastWords(): Promise<void> {
    const awake = new AbortController();
    const isOver = this.#clock.sleep(LAST_WORDS_MS, awake.signal).catch(() => {});
    await Promise.race([this.#ledger.whenEmpty(), isOver]);
    awake.abort();
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

/** One connection is left for the polls of acknowledgements, which must not wait behind the events. */
function maxRunning({ pool, collector }: DeliverySettings, isAddressFixed: boolean): number {
  const connections = isAddressFixed ? pool.maxPerHost : pool.maxTotal;
  return collector?.ack && connections > 1 ? connections - 1 : connections;
}

function isUnverified({ fullUrl, pool }: DeliverySettings): boolean {
  return /^https:/i.test(fullUrl) && pool.tls.ca === undefined;
}

function ignoreOutcome(): void {}
