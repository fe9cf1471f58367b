import type { ExecutorPool } from '../diagnostics/executor-pools.ts';
import { ClientFailure } from '../http1/client/client-failure.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Batch } from './batch.ts';
import type { BodyMemory } from './body-memory.ts';
import type { ByteBudget } from './byte-budget.ts';
import type { CircuitBreaker, Permit } from './circuit-breaker.ts';
import { type Circumstances, classifyAnswer, classifyFailure, type Verdict } from './classify.ts';
import { REFUSAL_MEMORY_MS } from './delivery-pool.ts';
import { kindOfReason, type ProblemReporter } from './delivery-problem.ts';
import type { DeliverySettings } from './delivery-settings.ts';
import { pollAcks } from './event-collector/ack-poll.ts';
import { AckTracker } from './event-collector/ack-tracker.ts';
import type { FallbackRoute } from './fallback-route.ts';
import { Gzip } from './gzip.ts';
import type { Ledger } from './ledger.ts';
import { ReadyQueue } from './ready-queue.ts';
import { RetrySchedule, retryDelayMs } from './retry-schedule.ts';
import type { Reply, Sender } from './sender.ts';

export interface DispatcherOptions {
  readonly settings: DeliverySettings;
  readonly sender: Sender;
  readonly breaker: CircuitBreaker;
  readonly budget: ByteBudget;
  readonly memory: BodyMemory;
  readonly ledger: Ledger;
  readonly fallbackRoute: FallbackRoute;
  readonly problems: ProblemReporter;
  readonly clock: Clock;
  readonly monotonicMs: () => number;
  readonly random: () => number;
  /** Batches that are sent at the same time. */
  readonly maxRunning: number;
}

/**
 * Takes closed batches to their end: attempt, verdict, and what the verdict asks for. A batch is charged to the buffer
 * until it is settled, and settled once.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #queue = new ReadyQueue();
  readonly #gzip = new Gzip();
  readonly #retries: RetrySchedule<Batch>;
  readonly #acks: AckTracker | undefined;
  readonly #stopAcks = new AbortController();
  #running = 0;
  #isStopping = false;
  #isCutOff = false;
  /** The collector does not tell what is acknowledged. */
  #isAckRefused = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    const { clock, monotonicMs, settings, breaker } = options;
    this.#retries = new RetrySchedule(clock, monotonicMs, (batch) => this.#sendAgain(batch));
    if (!settings.collector?.ack) return;
    this.#acks = new AckTracker({
      settings: settings.collector.ack,
      clock,
      monotonicMs,
      signal: this.#stopAcks.signal,
      mayPoll: () => breaker.state === 'closed' || breaker.state === 'off',
      poll: (address, ackIds, cookie) =>
        pollAcks(options.sender, options.problems, { address, ackIds, cookie }),
      onAcknowledged: (batch) => this.#settle(batch, false),
      onOverdue: (batch) => this.#resendOrGiveUp(batch),
      onRefused: (batches) => this.#doWithoutAcks(batches),
    });
  }

  /** How many batches are where. */
  get occupancy() {
    return {
      ready: this.#queue.length,
      sending: this.#running,
      awaitingRetry: this.#retries.length,
      awaitingAck: this.#acks?.size ?? 0,
    };
  }

  /** What works off its batches, and what waits to be worked off. */
  get executorPools(): Record<string, ExecutorPool> {
    const { maxRunning, settings, ledger } = this.#options;
    const delivery = {
      poolSize: maxRunning,
      activeCount: this.#running,
      queueSize: this.#queue.length + this.#retries.length,
      rejectedTaskCount: ledger.counters.dropped('buffer-full'),
    };
    return settings.isGzipEnabled ? { delivery, gzip: this.#gzip.usage } : { delivery };
  }

  submit(batch: Batch): void {
    if (this.#isCutOff) {
      void this.#giveUp(batch, 'shutdown');
      return;
    }
    this.#queue.push(batch);
    this.#pump();
  }

  /** No more retries; what waits for one is given up. What is being sent or acknowledged goes on. */
  stopRetrying(): void {
    this.#isStopping = true;
    for (const batch of this.#retries.takeAll()) void this.#giveUp(batch, 'shutdown');
  }

  /** Everything that is left is given up now. */
  cutOff(): void {
    this.#isCutOff = true;
    this.#stopAcks.abort();
    this.#options.sender.cutOff();
    for (let batch = this.#queue.take(); batch; batch = this.#queue.take())
      void this.#giveUp(batch, 'shutdown');
    for (const batch of this.#acks?.batches() ?? []) void this.#giveUp(batch, 'shutdown');
  }

  /** No call is under way any more, and none will be. */
  release(): void {
    this.#stopAcks.abort();
    this.#options.sender.cutOff();
  }

  #pump(): void {
    while (this.#running < this.#options.maxRunning) {
      const batch = this.#queue.take();
      if (!batch) return;
      // Acknowledged while it waited to be sent again.
      if (!batch.isSettled) void this.#attempt(batch);
    }
  }

  async #attempt(batch: Batch): Promise<void> {
    const permit = this.#options.breaker.enter();
    if (!permit) {
      void this.#giveUp(batch, 'circuit-open');
      return;
    }
    this.#running++;
    try {
      const verdict = await this.#tryOnce(batch, permit);
      if (!batch.isSettled) this.#act(batch, verdict);
    } catch (error) {
      // A defect of ours: it says nothing about the target, and its events are counted like all others.
      permit.abandoned();
      this.#options.problems.tell('loss', 'internal-error', (error as Error).message);
      void this.#giveUp(batch, 'internal-error');
    } finally {
      this.#running--;
      this.#pump();
    }
  }

  async #tryOnce(batch: Batch, permit: Permit): Promise<Verdict> {
    const { settings, sender, ledger } = this.#options;
    if (settings.isGzipEnabled) batch.gzipped ??= await this.#gzip.compress(batch.body);
    const reply = await sender.sendBatch(batch);
    const verdict = this.#judge(reply, batch);
    ledger.counters.attempt('reason' in verdict ? verdict.reason : 'ok');
    if (verdict.bearing === 'works') permit.succeeded();
    else if (verdict.bearing === 'fails') permit.failed();
    else permit.abandoned();
    if ('reason' in verdict && !this.#isCutOff) this.#tellFailure(reply, verdict.reason);
    return verdict;
  }

  #judge(reply: Reply, batch: Batch): Verdict {
    const { settings, clock } = this.#options;
    const circumstances: Circumstances = {
      eventCount: batch.size,
      mayRepeat: settings.retry.mayRepeat,
      isCollector: settings.collector !== undefined,
      usesAck: settings.collector?.ack !== undefined,
      nowMs: clock.now(),
    };
    return reply instanceof ClientFailure
      ? classifyFailure(reply, circumstances)
      : classifyAnswer(reply, circumstances);
  }

  #tellFailure(reply: Reply, reason: string): void {
    const text =
      reply instanceof ClientFailure ? reply.message : `the target answered with status ${reply.status}`;
    this.#options.problems.tell(kindOfReason(reason), reason, text);
  }

  #act(batch: Batch, verdict: Verdict): void {
    if (this.#isCutOff && verdict.kind !== 'delivered' && verdict.kind !== 'queued') {
      void this.#giveUp(batch, 'shutdown');
      return;
    }
    switch (verdict.kind) {
      case 'delivered':
        this.#settle(batch, false);
        return;
      case 'queued':
        if (verdict.isAckMissing) this.#noteMissingAck();
        this.#settle(batch, true);
        return;
      case 'await-ack':
        if (this.#isAckRefused) this.#settle(batch, true);
        else this.#acks!.await(batch, verdict.ackId, verdict.cookie);
        return;
      case 'retry':
        this.#retryOrGiveUp(batch, verdict.reason, verdict.askedMs);
        return;
      case 'permanent':
        void this.#giveUp(batch, verdict.reason);
        return;
      case 'halve':
        this.#divide(batch, verdict.reason, batch.size >> 1, batch.size >> 1);
        return;
      case 'isolate':
        this.#divide(batch, verdict.reason, verdict.badIndex, verdict.badIndex + 1);
        return;
    }
  }

  #retryOrGiveUp(batch: Batch, reason: string, askedMs: number | undefined): void {
    const { settings, ledger, random } = this.#options;
    if (this.#isStopping) {
      void this.#giveUp(batch, 'shutdown');
      return;
    }
    if (batch.retries >= settings.retry.maxCount) {
      void this.#giveUp(batch, reason);
      return;
    }
    batch.retries++;
    ledger.counters.retry(reason);
    const delayMs = retryDelayMs(settings.retry, batch.retries, askedMs, random);
    // However short the backoff: within the memory of a refusal the retry would be told what its attempt was told.
    this.#retries.add(batch, Math.max(delayMs, REFUSAL_MEMORY_MS));
  }

  /** Parts go to the end of the line, so that a bad batch does not hold up the good ones. What is between them is bad. */
  #divide(batch: Batch, reason: string, leftEnd: number, rightStart: number): void {
    batch.noteRefused();
    if (!batch.isWorthDividing) {
      void this.#giveUp(batch, reason);
      return;
    }
    this.#options.ledger.counters.splits++;
    // The parts answer for the events from here on.
    batch.isSettled = true;
    this.#acks?.forget(batch);
    if (leftEnd > 0) this.#queue.push(batch.slice(0, leftEnd));
    if (rightStart < batch.size) this.#queue.push(batch.slice(rightStart, batch.size));
    if (leftEnd < rightStart) void this.#giveUp(batch.slice(leftEnd, rightStart), 'invalid-event');
  }

  #settle(batch: Batch, isOnlyQueued: boolean): void {
    if (batch.isSettled) return;
    batch.isSettled = true;
    batch.noteDelivered();
    this.#acks?.forget(batch);
    this.#options.ledger.deliver(batch.size, isOnlyQueued);
    this.#letGo(batch);
  }

  /** The bytes stay charged until the events are somewhere else. */
  async #giveUp(batch: Batch, reason: string): Promise<void> {
    if (batch.isSettled) return;
    batch.isSettled = true;
    this.#acks?.forget(batch);
    await this.#options.fallbackRoute.take(batch, batch.fallback, reason);
    this.#letGo(batch);
  }

  /** Nobody needs the events any more. */
  #letGo({ block, ackResends, chargedBytes }: Batch): void {
    const { budget, memory } = this.#options;
    // One that was sent again for want of an acknowledgement may still be on its way.
    if (block && ackResends === 0) memory.giveBack(block);
    budget.release(chargedBytes);
  }

  #sendAgain(batch: Batch): void {
    this.#queue.pushAgain(batch);
    this.#pump();
  }

  #resendOrGiveUp(batch: Batch): void {
    const { settings, ledger } = this.#options;
    if (batch.ackResends >= settings.collector!.ack!.maxResends) {
      void this.#giveUp(batch, 'ack-timeout');
      return;
    }
    batch.ackResends++;
    batch.retries = 0;
    ledger.counters.ackResends++;
    this.#sendAgain(batch);
  }

  /** Sending for ever what the collector has taken would only make duplicates: a 200 has to do. */
  #doWithoutAcks(batches: readonly Batch[]): void {
    this.#isAckRefused = true;
    this.#options.problems.tell(
      'configuration',
      'ack-refused',
      'the collector refuses to tell what is acknowledged: a 200 counts as queued from now on',
    );
    for (const batch of batches) this.#settle(batch, true);
  }

  #noteMissingAck(): void {
    this.#options.ledger.counters.ackMissing++;
    this.#options.problems.tell(
      'configuration',
      'ack-missing',
      'the collector takes events without an acknowledgement id: they count as queued',
    );
  }
}
