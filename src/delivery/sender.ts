import type { ClientAnswer } from '../http1/client/client-answer.ts';
import { ClientFailure } from '../http1/client/client-failure.ts';
import type { SendOptions } from '../http1/client/client-options.ts';
import type { ClientPool } from '../http1/client/client-pool.ts';
import type { ClientRequest } from '../http1/client/client-request.ts';
import { NO_PLACE, Roster, type RosterMember } from '../http1/client/roster.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Batch } from './batch.ts';
import type { DeliveryAddress } from './delivery-address.ts';
import type { DeliverySettings } from './delivery-settings.ts';
import { withCookie } from './event-collector/affinity-cookie.ts';
import { ackTarget } from './event-collector/collector-path.ts';
import { type RequestHeaders, requestHeaders } from './request-headers.ts';

/** What the sender needs of a pool. */
export type SendingPool = Pick<ClientPool, 'send'>;

export type Reply = ClientAnswer | ClientFailure;

export interface SenderOptions {
  readonly settings: DeliverySettings;
  readonly pool: SendingPool;
  readonly clock: Clock;
  readonly monotonicMs: () => number;
}

/** A collector's answer is short; of other answers only the status matters. */
const MAX_COLLECTOR_ANSWER_BYTES = 64 * 1024;
const MAX_ANSWER_BYTES = 1024;
/** What the whole answer may take beyond the timeouts, which a target that trickles never runs into. */
const ANSWER_ALLOWANCE_MS = 30_000;
/** Where the sending of the body is not guarded, by configuration. */
const UNGUARDED_WRITE_MS = 3_600_000;
/** A poll that is lost costs a whole batch sent again, so it is given more time than an event. */
const MIN_POLL_TIMEOUT_MS = 10_000;

class RunningCall implements RosterMember {
  readonly stop = new AbortController();
  readonly startedAtMs: number;
  rosterPlace = NO_PLACE;

  constructor(startedAtMs: number) {
    this.startedAtMs = startedAtMs;
  }
}

/** Makes single calls. None lasts for ever, whatever the target does. */
export class Sender {
  readonly #settings: DeliverySettings;
  readonly #pool: SendingPool;
  readonly #clock: Clock;
  readonly #monotonicMs: () => number;
  readonly #headers: RequestHeaders;
  readonly #limitMs: number;
  readonly #running = new Roster<RunningCall>();
  readonly #stop = new AbortController();
  #isWatching = false;

  constructor({ settings, pool, clock, monotonicMs }: SenderOptions) {
    this.#settings = settings;
    this.#pool = pool;
    this.#clock = clock;
    this.#monotonicMs = monotonicMs;
    this.#headers = requestHeaders(settings);
    const { acquireMs, connectMs, writeMs, responseMs } = settings.pool.timeouts;
    const writingMs = writeMs > 0 ? writeMs : UNGUARDED_WRITE_MS;
    this.#limitMs = acquireMs + connectMs + writingMs + responseMs + ANSWER_ALLOWANCE_MS;
  }

  get runningCount(): number {
    return this.#running.size;
  }

  sendBatch(batch: Batch): Promise<Reply> {
    const { method, collector } = this.#settings;
    const { origin, target } = batch.address;
    const headers = batch.gzipped ? this.#headers.gzipped : this.#headers.plain;
    return this.#send(
      { origin, method, target, headers, body: batch.gzipped ?? batch.body },
      { maxBodyBytes: collector ? MAX_COLLECTOR_ANSWER_BYTES : MAX_ANSWER_BYTES },
    );
  }

  /** Asks a collector which of the ids are acknowledged. */
  sendPoll({ origin, target }: DeliveryAddress, ackIds: readonly string[], cookie: string): Promise<Reply> {
    const { responseMs, idleMs, acquireMs } = this.#settings.pool.timeouts;
    return this.#send(
      {
        origin,
        method: 'POST',
        target: ackTarget(target),
        headers: withCookie(this.#headers.plain, cookie),
        body: Buffer.from(`{"acks":[${ackIds.join(',')}]}`),
      },
      {
        maxBodyBytes: MAX_COLLECTOR_ANSWER_BYTES,
        timeouts: {
          acquireMs: Math.max(acquireMs, MIN_POLL_TIMEOUT_MS),
          responseMs: Math.max(responseMs, MIN_POLL_TIMEOUT_MS),
          idleMs: Math.max(idleMs, MIN_POLL_TIMEOUT_MS),
        },
      },
    );
  }

  /** Ends every call that runs, and every later one. */
  cutOff(): void {
    this.#stop.abort();
    for (const { stop } of this.#running.members()) stop.abort();
  }

  async #send(request: ClientRequest, options: SendOptions): Promise<Reply> {
    const call = new RunningCall(this.#monotonicMs());
    this.#running.add(call);
    if (this.#stop.signal.aborted) call.stop.abort();
    else if (!this.#isWatching) void this.#watch();
    try {
      return await this.#pool.send(request, { ...options, signal: call.stop.signal });
    } catch (error) {
      if (!(error instanceof ClientFailure)) throw error;
      return this.#isOverdue(call) ? overdue(error) : error;
    } finally {
      this.#running.delete(call);
    }
  }

  /** One sleeper for all calls; it looks at the oldest. */
  async #watch(): Promise<void> {
    this.#isWatching = true;
    try {
      while (this.#running.size > 0) {
        const oldestMs = Math.min(...this.#running.members().map(({ startedAtMs }) => startedAtMs));
        await this.#clock.sleep(oldestMs + this.#limitMs - this.#monotonicMs(), this.#stop.signal);
        for (const call of this.#running.members()) if (this.#isOverdue(call)) call.stop.abort();
      }
    } catch (error) {
      if (!this.#stop.signal.aborted) throw error;
    } finally {
      this.#isWatching = false;
    }
  }

  #isOverdue({ startedAtMs }: RunningCall): boolean {
    return this.#monotonicMs() - startedAtMs >= this.#limitMs;
  }
}

function overdue({ phase, isRequestSent, phases }: ClientFailure): ClientFailure {
  return new ClientFailure('idle-timeout', {
    phase,
    isRequestSent,
    phases,
    detail: 'the answer as a whole took too long',
  });
}
