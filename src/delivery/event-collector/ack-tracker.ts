import type { Clock } from '../../kernel/clock.ts';
import type { Batch } from '../batch.ts';
import type { DeliveryAddress } from '../delivery-address.ts';
import type { AckSettings } from './collector-settings.ts';

/** The answer to one poll. */
export type PollResult =
  | { readonly kind: 'acknowledged'; readonly ackIds: readonly string[] }
  /** Ask again later. */
  | { readonly kind: 'failed' }
  /** The collector does not answer such questions, however often they are asked. */
  | { readonly kind: 'refused' };

export interface AckTrackerOptions {
  readonly settings: AckSettings;
  readonly clock: Clock;
  readonly monotonicMs: () => number;
  readonly signal: AbortSignal;
  /** False while the target must not be contacted. */
  readonly mayPoll: () => boolean;
  readonly poll: (address: DeliveryAddress, ackIds: readonly string[], cookie: string) => Promise<PollResult>;
  readonly onAcknowledged: (batch: Batch) => void;
  /** No acknowledgement in time. */
  readonly onOverdue: (batch: Batch) => void;
  /** The collector gives none: for these batches, and for all that follow. */
  readonly onRefused: (batches: readonly Batch[]) => void;
}

interface Awaited {
  readonly keys: string[];
  /** Infinity while the batch is being sent again. */
  dueAtMs: number;
}

interface Question {
  readonly batch: Batch;
  readonly cookie: string;
  readonly ackId: string;
}

const FIRST_INTERVAL_MS = 1000;
const LONGEST_INTERVAL_MS = 5000;
/** Ids of one request. */
const MAX_IDS = 1000;

/**
 * Batches that a collector has taken and not yet confirmed. One poll asks for all of them. `true` is said once for an
 * id, and `false` also of one that is unknown: so nothing but the time tells that an acknowledgement will not come. A
 * batch that is sent again keeps its former ids, and any of them settles it.
 */
export class AckTracker {
  readonly #options: AckTrackerOptions;
  readonly #awaited = new Map<Batch, Awaited>();
  /** By cookie and id, because every indexer behind a load balancer counts from zero. */
  readonly #questions = new Map<string, Question>();
  #intervalMs = FIRST_INTERVAL_MS;
  #nextPollAtMs = 0;
  #isRunning = false;

  constructor(options: AckTrackerOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#awaited.size;
  }

  await(batch: Batch, ackId: string, cookie: string): void {
    const key = `${ackId} ${cookie} ${batch.address.origin.host}:${batch.address.origin.port}`;
    // A collector that was restarted counts from zero again: the id is now of the newer batch, and the older one has
    // to be sent again when no other id of it is acknowledged.
    this.#questions.set(key, { batch, cookie, ackId });
    const dueAtMs = this.#options.monotonicMs() + this.#options.settings.timeoutMs;
    const awaited = this.#awaited.get(batch);
    if (awaited) {
      awaited.keys.push(key);
      awaited.dueAtMs = dueAtMs;
    } else this.#awaited.set(batch, { keys: [key], dueAtMs });
    if (!this.#isRunning) void this.#run();
  }

  /** The batch has come to its end, or will never be acknowledged. */
  forget(batch: Batch): void {
    for (const key of this.#awaited.get(batch)?.keys ?? []) {
      if (this.#questions.get(key)?.batch === batch) this.#questions.delete(key);
    }
    this.#awaited.delete(batch);
  }

  /** Everything that waits, for when there is no more time to. */
  batches(): Batch[] {
    return [...this.#awaited.keys()];
  }

  async #run(): Promise<void> {
    const { clock, monotonicMs, signal, mayPoll } = this.#options;
    this.#isRunning = true;
    this.#intervalMs = FIRST_INTERVAL_MS;
    this.#nextPollAtMs = monotonicMs() + this.#intervalMs;
    try {
      while (this.#awaited.size > 0) {
        await clock.sleep(Math.max(0, this.#wakeAtMs() - monotonicMs()), signal);
        if (monotonicMs() >= this.#nextPollAtMs) {
          const hasNews = mayPoll() && (await this.#pollAll());
          this.#intervalMs = hasNews
            ? FIRST_INTERVAL_MS
            : Math.min(this.#intervalMs * 1.5, LONGEST_INTERVAL_MS);
          this.#nextPollAtMs = monotonicMs() + this.#intervalMs;
        }
        this.#expire();
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#isRunning = false;
    }
  }

  #wakeAtMs(): number {
    let wakeAtMs = this.#nextPollAtMs;
    for (const { dueAtMs } of this.#awaited.values()) wakeAtMs = Math.min(wakeAtMs, dueAtMs);
    return wakeAtMs;
  }

  /** Whether anything was acknowledged. */
  async #pollAll(): Promise<boolean> {
    let hasNews = false;
    for (const questions of this.#grouped()) {
      const [{ batch, cookie }] = questions as [Question];
      const ackIds = questions.map(({ ackId }) => ackId);
      const result = await this.#options.poll(batch.address, ackIds, cookie);
      if (result.kind === 'refused') {
        this.#giveUpPolling();
        return false;
      }
      if (result.kind === 'failed') continue;
      const acknowledged = new Set(result.ackIds);
      for (const question of questions) {
        if (!acknowledged.has(question.ackId) || question.batch.isSettled) continue;
        hasNews = true;
        this.#options.onAcknowledged(question.batch);
      }
    }
    return hasNews;
  }

  /** What can be asked in one request: the same place, the same cookie, not too many. */
  #grouped(): Question[][] {
    const groups = new Map<string, Question[]>();
    for (const question of this.#questions.values()) {
      const { origin, target } = question.batch.address;
      const place = `${origin.protocol} ${origin.host} ${origin.port} ${target} ${question.cookie}`;
      const group = groups.get(place);
      if (group) group.push(question);
      else groups.set(place, [question]);
    }
    return [...groups.values()].flatMap((group) =>
      Array.from({ length: Math.ceil(group.length / MAX_IDS) }, (_, chunk) =>
        group.slice(chunk * MAX_IDS, (chunk + 1) * MAX_IDS),
      ),
    );
  }

  #giveUpPolling(): void {
    const batches = this.batches();
    for (const batch of batches) this.forget(batch);
    this.#options.onRefused(batches);
  }

  #expire(): void {
    const nowMs = this.#options.monotonicMs();
    for (const [batch, awaited] of this.#awaited) {
      if (awaited.dueAtMs > nowMs) continue;
      awaited.dueAtMs = Number.POSITIVE_INFINITY;
      this.#options.onOverdue(batch);
    }
  }
}
