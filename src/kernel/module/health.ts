import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';

/** Something a module cannot do its work without. */
export interface HealthCheck {
  readonly name: string;
  /** Resolves when it is there, perhaps with a text about it that anybody may read; rejects when it is not. */
  run(signal: AbortSignal): Promise<unknown>;
}

export interface HealthReport {
  readonly status: 'UP' | 'DOWN';
  readonly module: string;
  /** Seconds since the module started. */
  readonly uptime: number;
  readonly checks: Readonly<Record<string, CheckResult>>;
}

interface CheckResult {
  readonly status: 'UP' | 'DOWN';
  readonly detail?: string;
}

export interface HealthOptions {
  readonly module: string;
  readonly checks: readonly HealthCheck[];
  readonly clock: Clock;
  readonly log: Log;
  /** What takes longer is DOWN. */
  readonly deadlineMs?: number;
  /** However often probes come, the checks run no oftener than this. */
  readonly cacheMs?: number;
}

/** Whether the module has what it needs, found out when somebody asks. It answers anybody, so it tells no secrets. */
export class Health {
  readonly #options: Required<HealthOptions>;
  readonly #startedAtMs: number;
  readonly #running = new Map<HealthCheck, Promise<CheckResult>>();
  #latest: { readonly expiresAtMs: number; readonly results: Promise<HealthReport['checks']> } | undefined;
  #lastStatus: HealthReport['status'] = 'UP';

  constructor(options: HealthOptions) {
    this.#options = { deadlineMs: 2000, cacheMs: 1000, ...options };
    this.#startedAtMs = options.clock.now();
  }

  async report(): Promise<HealthReport> {
    const { module, clock, cacheMs } = this.#options;
    if (!this.#latest || clock.now() >= this.#latest.expiresAtMs) {
      this.#latest = { expiresAtMs: clock.now() + cacheMs, results: this.#runAll() };
    }
    const checks = await this.#latest.results;
    const status = Object.values(checks).every((check) => check.status === 'UP') ? 'UP' : 'DOWN';
    this.#logTurn(status, checks);
    return { status, module, uptime: Math.floor((clock.now() - this.#startedAtMs) / 1000), checks };
  }

  async #runAll(): Promise<HealthReport['checks']> {
    const { checks } = this.#options;
    const results = await Promise.all(checks.map((check) => this.#withinDeadline(check)));
    return Object.fromEntries(checks.map(({ name }, index) => [name, results[index]!]));
  }

  async #withinDeadline(check: HealthCheck): Promise<CheckResult> {
    const { deadlineMs } = this.#options;
    const { promise, resolve } = Promise.withResolvers<CheckResult>();
    const late: CheckResult = { status: 'DOWN', detail: `no answer within ${deadlineMs} ms` };
    const timer = setTimeout(() => resolve(late), deadlineMs);
    try {
      return await Promise.race([this.#run(check), promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** A check that is still at it is waited for again, never started a second time. */
  #run(check: HealthCheck): Promise<CheckResult> {
    const running = this.#running.get(check) ?? this.#start(check).finally(() => this.#running.delete(check));
    this.#running.set(check, running);
    return running;
  }

  async #start({ name, run }: HealthCheck): Promise<CheckResult> {
    try {
      const detail = await run(AbortSignal.timeout(this.#options.deadlineMs));
      return typeof detail === 'string' ? { status: 'UP', detail } : { status: 'UP' };
    } catch (err) {
      this.#options.log.warn({ event: 'health.check.failed', check: name, err });
      return { status: 'DOWN', detail: 'failed; the log tells more' };
    }
  }

  #logTurn(status: HealthReport['status'], checks: HealthReport['checks']): void {
    if (status === this.#lastStatus) return;
    this.#lastStatus = status;
    const { log } = this.#options;
    if (status === 'UP') log.info({ event: 'health.up' });
    else log.error({ event: 'health.down', checks });
  }
}
